extension Row {
    /// A `smallint[]`, `integer[]` or `bigint[]` of one dimension, without nulls, whose values fit.
    public func int16Array(_ column: Int) throws(DatabaseError) -> [Int16] {
        try elements(column, "smallint[] without nulls") { $0?.integer.flatMap(Int16.init(exactly:)) }
    }

    /// A `smallint[]`, `integer[]` or `bigint[]` of one dimension, without nulls, whose values fit.
    public func int32Array(_ column: Int) throws(DatabaseError) -> [Int32] {
        try elements(column, "integer[] without nulls") { $0?.integer.flatMap(Int32.init(exactly:)) }
    }

    /// A `smallint[]`, `integer[]` or `bigint[]` of one dimension, without nulls.
    public func int64Array(_ column: Int) throws(DatabaseError) -> [Int64] {
        try elements(column, "bigint[] without nulls") { $0?.integer }
    }

    /// A `double precision[]` or `real[]` of one dimension, without nulls.
    public func doubleArray(_ column: Int) throws(DatabaseError) -> [Double] {
        try elements(column, "double precision[] without nulls") { $0?.double }
    }

    /// A `boolean[]` of one dimension, without nulls.
    public func boolArray(_ column: Int) throws(DatabaseError) -> [Bool] {
        try elements(column, "boolean[] without nulls") { $0?.bool }
    }

    /// A `timestamptz[]` of one dimension, without nulls.
    public func timestampArray(_ column: Int) throws(DatabaseError) -> [Timestamp] {
        try elements(column, "timestamptz[] without nulls") { $0?.timestamp }
    }

    /// A `bytea[]` of one dimension, without nulls.
    public func bytesArray(_ column: Int) throws(DatabaseError) -> [[UInt8]] {
        try elements(column, "bytea[] without nulls") { $0?.content.map { [UInt8]($0) } }
    }

    /// An array of texts or enums of one dimension, without nulls.
    public func stringArray(_ column: Int) throws(DatabaseError) -> [String] {
        try elements(column, "text[] without nulls") { $0?.string }
    }

    /// As `int64Array`, where elements may be null.
    public func int64OrNilArray(_ column: Int) throws(DatabaseError) -> [Int64?] {
        try elements(column, "bigint[]") { $0.map { $0.integer } ?? .some(nil) }
    }

    /// As `stringArray`, where elements may be null.
    public func stringOrNilArray(_ column: Int) throws(DatabaseError) -> [String?] {
        try elements(column, "text[]") { $0.map { $0.string } ?? .some(nil) }
    }

    /// - Parameter read: the value of an element, which is nil for NULL; returns nil to refuse the element.
    private func elements<T>(_ column: Int, _ wanted: String, _ read: (Field?) -> T?) throws(DatabaseError) -> [T] {
        var values: [T] = []
        let whole = try present(column).forEachElement { element in
            guard let value = read(element) else { return false }
            values.append(value)
            return true
        }
        guard whole else { throw mismatch(column, wanted) }
        return values
    }
}
