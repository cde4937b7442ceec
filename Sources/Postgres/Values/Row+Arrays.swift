extension Row {
    /// A `smallint[]`, `integer[]` or `bigint[]` of one dimension, without nulls, whose values fit.
    public mutating func int16Array() throws(DatabaseError) -> [Int16] {
        try elements("smallint[] without nulls") { $0?.integer.flatMap(Int16.init(exactly:)) }
    }

    /// A `smallint[]`, `integer[]` or `bigint[]` of one dimension, without nulls, whose values fit.
    public mutating func int32Array() throws(DatabaseError) -> [Int32] {
        try elements("integer[] without nulls") { $0?.integer.flatMap(Int32.init(exactly:)) }
    }

    /// A `smallint[]`, `integer[]` or `bigint[]` of one dimension, without nulls.
    public mutating func int64Array() throws(DatabaseError) -> [Int64] {
        try elements("bigint[] without nulls") { $0?.integer }
    }

    /// A `double precision[]` or `real[]` of one dimension, without nulls.
    public mutating func doubleArray() throws(DatabaseError) -> [Double] {
        try elements("double precision[] without nulls") { $0?.double }
    }

    /// A `boolean[]` of one dimension, without nulls.
    public mutating func boolArray() throws(DatabaseError) -> [Bool] {
        try elements("boolean[] without nulls") { $0?.bool }
    }

    /// A `timestamptz[]` of one dimension, without nulls.
    public mutating func timestampArray() throws(DatabaseError) -> [Timestamp] {
        try elements("timestamptz[] without nulls") { $0?.timestamp }
    }

    /// A `bytea[]` of one dimension, without nulls.
    public mutating func bytesArray() throws(DatabaseError) -> [[UInt8]] {
        try elements("bytea[] without nulls") { $0?.content.map { [UInt8]($0) } }
    }

    /// An array of texts or enums of one dimension, without nulls.
    public mutating func stringArray() throws(DatabaseError) -> [String] {
        try elements("text[] without nulls") { $0?.string }
    }

    /// As `int64Array`, where elements may be null.
    public mutating func int64OrNilArray() throws(DatabaseError) -> [Int64?] {
        try elements("bigint[]") { $0.map { $0.integer } ?? .some(nil) }
    }

    /// As `stringArray`, where elements may be null.
    public mutating func stringOrNilArray() throws(DatabaseError) -> [String?] {
        try elements("text[]") { $0.map { $0.string } ?? .some(nil) }
    }

    /// As `int64Array`, or nil.
    public mutating func int64ArrayOrNil() throws(DatabaseError) -> [Int64]? {
        try elementsOrNil("bigint[] without nulls") { $0?.integer }
    }

    /// As `stringArray`, or nil.
    public mutating func stringArrayOrNil() throws(DatabaseError) -> [String]? {
        try elementsOrNil("text[] without nulls") { $0?.string }
    }

    /// - Parameter read: the value of an element, which is nil for NULL; returns nil to refuse the element.
    private mutating func elements<T>(_ wanted: String, _ read: (Field?) -> T?) throws(DatabaseError) -> [T] {
        try elements(of: try present(), wanted, read)
    }

    private mutating func elementsOrNil<T>(_ wanted: String, _ read: (Field?) -> T?) throws(DatabaseError) -> [T]? {
        guard let field = try field() else { return nil }
        return try elements(of: field, wanted, read)
    }

    private func elements<T>(
        of field: Field, _ wanted: String, _ read: (Field?) -> T?
    ) throws(DatabaseError) -> [T] {
        var values: [T] = []
        let whole = field.forEachElement { element in
            guard let value = read(element) else { return false }
            values.append(value)
            return true
        }
        guard whole else { throw mismatch(wanted) }
        return values
    }
}
