/// One field or one array element where libpq received it: a type, and bytes in network order. Each property is nil
/// when the type or the length does not fit.
struct Field {
    let type: UInt32
    let bytes: UnsafeRawBufferPointer

    @inline(__always)
    var integer: Int64? {
        switch (type, bytes.count) {
        case (OID.int8, 8): load(Int64.self)
        case (OID.int4, 4): Int64(load(Int32.self))
        case (OID.int2, 2): Int64(load(Int16.self))
        default: nil
        }
    }

    var bool: Bool? { type == OID.bool && bytes.count == 1 ? bytes[0] != 0 : nil }

    var double: Double? {
        switch (type, bytes.count) {
        case (OID.float8, 8): Double(bitPattern: load(UInt64.self))
        case (OID.float4, 4): Double(Float(bitPattern: load(UInt32.self)))
        default: nil
        }
    }

    var timestamp: Timestamp? {
        guard type == OID.timestamptz || type == OID.timestamp, bytes.count == 8 else { return nil }
        return Timestamp(microseconds: load(Int64.self))
    }

    var string: String? { type == OID.bytea ? nil : content.map { String(decoding: $0, as: UTF8.self) } }

    /// The bytes of a `bytea` or of a text.
    var content: UnsafeRawBufferPointer? {
        if type == OID.bytea || OID.isText(type) { return bytes }
        // The binary form of jsonb is a version, 1, and then the text.
        guard type == OID.jsonb, bytes.first == 1 else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    }

    /// Reads the field as an array of one dimension (see `ArrayEncoding.swift`).
    ///
    /// - Parameter body: gets nil for NULL; returns whether to go on.
    /// - Returns: whether the field was an array and `body` took every element.
    func forEachElement(_ body: (Field?) -> Bool) -> Bool {
        guard bytes.count >= 12 else { return false }
        let dimensions = load(Int32.self)
        if dimensions == 0 { return bytes.count == 12 && elementType != nil }
        guard dimensions == 1, bytes.count >= 20, let elementType else { return false }
        let count = load(Int32.self, at: 12)
        var place = 20
        for _ in 0..<max(count, 0) {
            guard place + 4 <= bytes.count else { return false }
            let length = Int(load(Int32.self, at: place))
            place += 4
            if length < 0 {
                guard body(nil) else { return false }
                continue
            }
            guard place + length <= bytes.count else { return false }
            let element = UnsafeRawBufferPointer(rebasing: bytes[place..<(place + length)])
            guard body(Field(type: elementType, bytes: element)) else { return false }
            place += length
        }
        return place == bytes.count
    }

    /// The type of the elements; nil when the field's type is not an array, or is an array of another type. The bytes
    /// of a scalar could look like an array's by chance.
    private var elementType: UInt32? {
        let stated = load(UInt32.self, at: 8)
        switch type {
        case OID.boolArray: return stated == OID.bool ? stated : nil
        case OID.byteaArray: return stated == OID.bytea ? stated : nil
        case OID.int2Array: return stated == OID.int2 ? stated : nil
        case OID.int4Array: return stated == OID.int4 ? stated : nil
        case OID.int8Array: return stated == OID.int8 ? stated : nil
        case OID.textArray: return stated == OID.text ? stated : nil
        case OID.float8Array: return stated == OID.float8 ? stated : nil
        case OID.timestamptzArray: return stated == OID.timestamptz ? stated : nil
        case OID.bool, OID.bytea, OID.int8, OID.int2, OID.int4, OID.float4,
            OID.float8, OID.timestamp, OID.timestamptz, OID.jsonb, 1700:  // numeric
            return nil
        // A type that the database defines may be an array of an enum.
        default: return type < 16_384 && OID.isText(type) ? nil : stated
        }
    }

    @inline(__always)
    private func load<T: FixedWidthInteger>(_ type: T.Type, at offset: Int = 0) -> T {
        T(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
}
