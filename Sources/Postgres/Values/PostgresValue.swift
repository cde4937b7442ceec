/// A Swift value that can be a parameter of a statement: `Int16 Int32 Int64 Int Bool Double String Timestamp [UInt8]`,
/// arrays of each and of their optionals, and the optional of any of them.
public protocol PostgresValue: Sendable {
    /// The type sent to the server, by its number in `pg_type`.
    static var oid: UInt32 { get }
    /// NULL is sent instead of bytes. False except for an empty optional.
    var isNull: Bool { get }
    /// Appends the value in PostgreSQL's binary form (network byte order), without its length. Not called for NULL.
    func write(to buffer: inout [UInt8])
    /// Appends an array in which elements may be NULL, in binary form.
    static func writeArrayWithNulls(_ elements: [Self?], to buffer: inout [UInt8])
}

extension PostgresValue {
    public var isNull: Bool { false }

    public static func writeArrayWithNulls(_ elements: [Self?], to buffer: inout [UInt8]) {
        buffer.appendArrayHeader(of: oid, count: elements.count, hasNulls: elements.contains { $0.isNull })
        for element in elements { buffer.appendElement(element) }
    }
}

extension Optional: PostgresValue where Wrapped: PostgresValue {
    public static var oid: UInt32 { Wrapped.oid }
    public var isNull: Bool { self?.isNull ?? true }
    public func write(to buffer: inout [UInt8]) { self?.write(to: &buffer) }
}

extension Int16: PostgresValue {
    public static var oid: UInt32 { OID.int2 }
    public func write(to buffer: inout [UInt8]) { buffer.appendBigEndian(self) }
}

extension Int32: PostgresValue {
    public static var oid: UInt32 { OID.int4 }
    public func write(to buffer: inout [UInt8]) { buffer.appendBigEndian(self) }
}

extension Int64: PostgresValue {
    public static var oid: UInt32 { OID.int8 }
    public func write(to buffer: inout [UInt8]) { buffer.appendBigEndian(self) }
}

/// A `bigint`, like `Int64`.
extension Int: PostgresValue {
    public static var oid: UInt32 { OID.int8 }
    public func write(to buffer: inout [UInt8]) { buffer.appendBigEndian(Int64(self)) }
}

extension Bool: PostgresValue {
    public static var oid: UInt32 { OID.bool }
    public func write(to buffer: inout [UInt8]) { buffer.append(self ? 1 : 0) }
}

extension Double: PostgresValue {
    public static var oid: UInt32 { OID.float8 }
    public func write(to buffer: inout [UInt8]) { buffer.appendBigEndian(bitPattern) }
}

/// A `text`. The server refuses one with a NUL character (22021).
extension String: PostgresValue {
    public static var oid: UInt32 { OID.text }
    public func write(to buffer: inout [UInt8]) { buffer.append(contentsOf: utf8) }

    /// Results are recorded in columns of texts, thousands at a time: one loop, one reservation.
    public static func writeArrayWithNulls(_ elements: [String?], to buffer: inout [UInt8]) {
        var size = 20 + 4 * elements.count
        var hasNulls = false
        for element in elements {
            if let element { size += element.utf8.count } else { hasNulls = true }
        }
        buffer.reserve(size)
        buffer.appendArrayHeader(of: oid, count: elements.count, hasNulls: hasNulls)
        for element in elements {
            if let element { buffer.appendElement(element) } else { buffer.appendBigEndian(Int32(-1)) }
        }
    }
}

/// A `timestamptz`.
extension Timestamp: PostgresValue {
    public static var oid: UInt32 { OID.timestamptz }
    public func write(to buffer: inout [UInt8]) { buffer.appendBigEndian(microseconds) }
}

extension [UInt8] {
    @inline(__always)
    mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
