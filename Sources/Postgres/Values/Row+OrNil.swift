extension Row {
    public mutating func int16OrNil() throws(DatabaseError) -> Int16? {
        try orNil("smallint") { $0.integer.flatMap(Int16.init(exactly:)) }
    }

    public mutating func int32OrNil() throws(DatabaseError) -> Int32? {
        try orNil("integer") { $0.integer.flatMap(Int32.init(exactly:)) }
    }

    public mutating func int64OrNil() throws(DatabaseError) -> Int64? { try orNil("bigint") { $0.integer } }

    public mutating func boolOrNil() throws(DatabaseError) -> Bool? { try orNil("boolean") { $0.bool } }

    public mutating func doubleOrNil() throws(DatabaseError) -> Double? { try orNil("double precision") { $0.double } }

    public mutating func stringOrNil() throws(DatabaseError) -> String? { try orNil("text") { $0.string } }

    public mutating func timestampOrNil() throws(DatabaseError) -> Timestamp? {
        try orNil("timestamptz") { $0.timestamp }
    }

    public mutating func bytesOrNil() throws(DatabaseError) -> [UInt8]? {
        try orNil("bytea") { $0.content.map { [UInt8]($0) } }
    }

    /// - Parameter read: the value of the field; returns nil to refuse it.
    @inline(__always)
    private mutating func orNil<T>(_ wanted: String, _ read: (Field) -> T?) throws(DatabaseError) -> T? {
        guard let field = try field() else { return nil }
        guard let value = read(field) else { throw mismatch(wanted) }
        return value
    }
}
