/// A Swift value that can be in an array parameter.
public protocol PostgresElement: Sendable {
    /// The type of the array, by its number in `pg_type`.
    static var arrayOid: UInt32 { get }
    /// Appends a whole array in PostgreSQL's binary form.
    static func writeArray(_ elements: [Self], to buffer: inout [UInt8])
}

extension Array: PostgresValue where Element: PostgresElement {
    public static var oid: UInt32 { Element.arrayOid }
    public func write(to buffer: inout [UInt8]) { Element.writeArray(self, to: &buffer) }
}

extension PostgresElement where Self: PostgresValue {
    public static func writeArray(_ elements: [Self], to buffer: inout [UInt8]) {
        buffer.appendArrayHeader(of: oid, count: elements.count, hasNulls: elements.contains { $0.isNull })
        for element in elements { buffer.appendElement(element) }
    }
}

/// To PostgreSQL an array of bytes is one `bytea`, not an array.
extension UInt8: PostgresElement {
    public static var arrayOid: UInt32 { OID.bytea }
    public static func writeArray(_ elements: [UInt8], to buffer: inout [UInt8]) {
        buffer.append(contentsOf: elements)
    }
}

extension Array: PostgresElement where Element == UInt8 {
    public static var arrayOid: UInt32 { OID.byteaArray }
}

extension Optional: PostgresElement where Wrapped: PostgresElement & PostgresValue {
    public static var arrayOid: UInt32 { Wrapped.arrayOid }
    /// The element's own implementation: for texts one loop that does not look at the type of each element.
    public static func writeArray(_ elements: [Wrapped?], to buffer: inout [UInt8]) {
        Wrapped.writeArrayWithNulls(elements, to: &buffer)
    }
}

extension Bool: PostgresElement {
    public static var arrayOid: UInt32 { OID.boolArray }
}

extension Double: PostgresElement {
    public static var arrayOid: UInt32 { OID.float8Array }
    public static func writeArray(_ elements: [Double], to buffer: inout [UInt8]) {
        buffer.appendArray(of: oid, elements) { $0.bitPattern }
    }
}

extension Timestamp: PostgresElement {
    public static var arrayOid: UInt32 { OID.timestamptzArray }
    public static func writeArray(_ elements: [Timestamp], to buffer: inout [UInt8]) {
        buffer.appendArray(of: oid, elements) { $0.microseconds }
    }
}

extension Int16: PostgresElement {
    public static var arrayOid: UInt32 { OID.int2Array }
    public static func writeArray(_ elements: [Int16], to buffer: inout [UInt8]) {
        buffer.appendArray(of: oid, elements) { $0 }
    }
}

extension Int32: PostgresElement {
    public static var arrayOid: UInt32 { OID.int4Array }
    public static func writeArray(_ elements: [Int32], to buffer: inout [UInt8]) {
        buffer.appendArray(of: oid, elements) { $0 }
    }
}

extension Int64: PostgresElement {
    public static var arrayOid: UInt32 { OID.int8Array }
    public static func writeArray(_ elements: [Int64], to buffer: inout [UInt8]) {
        buffer.appendArray(of: oid, elements) { $0 }
    }
}

extension Int: PostgresElement {
    public static var arrayOid: UInt32 { OID.int8Array }
    public static func writeArray(_ elements: [Int], to buffer: inout [UInt8]) {
        buffer.appendArray(of: oid, elements) { Int64($0) }
    }
}

extension String: PostgresElement {
    public static var arrayOid: UInt32 { OID.textArray }
    public static func writeArray(_ elements: [String], to buffer: inout [UInt8]) {
        var size = 20 + 4 * elements.count
        for element in elements { size += element.utf8.count }
        buffer.reserve(size)
        buffer.appendArrayHeader(of: oid, count: elements.count, hasNulls: false)
        for element in elements { buffer.appendElement(element) }
    }
}
