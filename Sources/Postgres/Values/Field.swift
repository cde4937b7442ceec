/// One field or one array element where libpq received it: a type and bytes in network order. Every reading is nil when
/// type and length do not agree with it.
struct Field {
    let type: UInt32
    let bytes: UnsafeRawBufferPointer

    @inline(__always)
    var integer: Int64? {
        switch (type, bytes.count) {
        case (TypeNumber.int8, 8): load(Int64.self)
        case (TypeNumber.int4, 4): Int64(load(Int32.self))
        case (TypeNumber.int2, 2): Int64(load(Int16.self))
        default: nil
        }
    }

    var bool: Bool? { type == TypeNumber.bool && bytes.count == 1 ? bytes[0] != 0 : nil }

    var double: Double? {
        switch (type, bytes.count) {
        case (TypeNumber.float8, 8): Double(bitPattern: load(UInt64.self))
        case (TypeNumber.float4, 4): Double(Float(bitPattern: load(UInt32.self)))
        default: nil
        }
    }

    var timestamp: Timestamp? {
        guard type == TypeNumber.timestamptz || type == TypeNumber.timestamp, bytes.count == 8 else { return nil }
        return Timestamp(microseconds: load(Int64.self))
    }

    var string: String? { type == TypeNumber.bytea ? nil : content.map { String(decoding: $0, as: UTF8.self) } }

    /// The bytes of a `bytea` or a text.
    var content: UnsafeRawBufferPointer? {
        if type == TypeNumber.bytea || TypeNumber.isText(type) { return bytes }
        // The binary form of jsonb is a version, 1, and then the text.
        guard type == TypeNumber.jsonb, bytes.first == 1 else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    }

    /// Reads the field as an array of one dimension (see `ArrayForm.swift`).
    ///
    /// - Parameter body: gets nil for NULL; says whether to go on.
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

    /// The type of the elements; nil when the field's own type is known not to be an array, or to have others. The bytes of
    /// a scalar could look like an array's by chance.
    private var elementType: UInt32? {
        let stated = load(UInt32.self, at: 8)
        switch type {
        case TypeNumber.boolArray: return stated == TypeNumber.bool ? stated : nil
        case TypeNumber.byteaArray: return stated == TypeNumber.bytea ? stated : nil
        case TypeNumber.int2Array: return stated == TypeNumber.int2 ? stated : nil
        case TypeNumber.int4Array: return stated == TypeNumber.int4 ? stated : nil
        case TypeNumber.int8Array: return stated == TypeNumber.int8 ? stated : nil
        case TypeNumber.textArray: return stated == TypeNumber.text ? stated : nil
        case TypeNumber.float8Array: return stated == TypeNumber.float8 ? stated : nil
        case TypeNumber.timestamptzArray: return stated == TypeNumber.timestamptz ? stated : nil
        case TypeNumber.bool, TypeNumber.bytea, TypeNumber.int8, TypeNumber.int2, TypeNumber.int4, TypeNumber.float4,
            TypeNumber.float8, TypeNumber.timestamp, TypeNumber.timestamptz, TypeNumber.jsonb, 1700:  // numeric
            return nil
        // Whatever a database defines itself may be an array of an enum.
        default: return type < 16_384 && TypeNumber.isText(type) ? nil : stated
        }
    }

    @inline(__always)
    private func load<T: FixedWidthInteger>(_ type: T.Type, at offset: Int = 0) -> T {
        T(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
}
