import CLibpq

/// One row, borrowed from its `Rows`. Columns are numbered from 0.
///
/// Every reading function throws `DatabaseError` when the column does not exist, is of another type, or is NULL and the
/// name does not say `OrNil`. Only a `String` or an array allocates.
public struct Row: ~Copyable {
    private let result: OpaquePointer
    private let index: Int32
    private let columns: Int32

    init(result: OpaquePointer, index: Int32, columns: Int32) {
        self.result = result
        self.index = index
        self.columns = columns
    }

    public func isNull(_ column: Int) throws(DatabaseError) -> Bool { try field(column) == nil }

    /// A `smallint`, `integer` or `bigint` whose value fits.
    public func int16(_ column: Int) throws(DatabaseError) -> Int16 {
        let field = try present(column)
        guard let value = field.integer.flatMap(Int16.init(exactly:)) else { throw mismatch(column, "smallint") }
        return value
    }

    /// A `smallint`, `integer` or `bigint` whose value fits.
    public func int32(_ column: Int) throws(DatabaseError) -> Int32 {
        let field = try present(column)
        guard let value = field.integer.flatMap(Int32.init(exactly:)) else { throw mismatch(column, "integer") }
        return value
    }

    /// A `smallint`, `integer` or `bigint`.
    public func int64(_ column: Int) throws(DatabaseError) -> Int64 {
        let field = try present(column)
        guard let value = field.integer else { throw mismatch(column, "bigint") }
        return value
    }

    public func bool(_ column: Int) throws(DatabaseError) -> Bool {
        let field = try present(column)
        guard let value = field.bool else { throw mismatch(column, "boolean") }
        return value
    }

    /// A `double precision` or `real`. A `numeric` has to be cast in the statement.
    public func double(_ column: Int) throws(DatabaseError) -> Double {
        let field = try present(column)
        guard let value = field.double else { throw mismatch(column, "double precision") }
        return value
    }

    /// A text in any of its types: `text`, `varchar`, `name`, `json`, `jsonb`, `xml`, an enum.
    public func string(_ column: Int) throws(DatabaseError) -> String {
        let field = try present(column)
        guard let value = field.string else { throw mismatch(column, "text") }
        return value
    }

    /// A `timestamptz`, or a `timestamp`, which is read as UTC.
    public func timestamp(_ column: Int) throws(DatabaseError) -> Timestamp {
        let field = try present(column)
        guard let value = field.timestamp else { throw mismatch(column, "timestamptz") }
        return value
    }

    /// The bytes of a `bytea` or a text, copied.
    public func bytes(_ column: Int) throws(DatabaseError) -> [UInt8] {
        let field = try present(column)
        guard let value = field.content else { throw mismatch(column, "bytea") }
        return [UInt8](value)
    }

    /// Lends the bytes of a `bytea` or a text where libpq received them. They are valid only inside `body`.
    public func withBytes<T>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws(DatabaseError) -> T)
        throws(DatabaseError) -> T
    {
        let field = try present(column)
        guard let value = field.content else { throw mismatch(column, "bytea") }
        return try body(value)
    }

    /// The field, nil when it is NULL.
    // libpq reports a column out of range to a notice handler that may be freed already: so it is never asked for one.
    @inline(__always)
    func field(_ column: Int) throws(DatabaseError) -> Field? {
        guard column >= 0, column < columns else {
            throw DatabaseError(doing: "read column \(column)", message: "the result has \(columns) columns")
        }
        let number = Int32(truncatingIfNeeded: column)
        let length = PQgetlength(result, index, number)
        if length == 0, PQgetisnull(result, index, number) != 0 { return nil }
        guard PQfformat(result, number) == 1 else {
            throw DatabaseError(doing: "read column \(column)", message: "the server sent it in text form")
        }
        let bytes = UnsafeRawBufferPointer(start: PQgetvalue(result, index, number), count: Int(length))
        return Field(type: PQftype(result, number), bytes: bytes)
    }

    @inline(__always)
    func present(_ column: Int) throws(DatabaseError) -> Field {
        guard let field = try field(column) else {
            throw DatabaseError(doing: "read column \(label(column))", message: "it is null")
        }
        return field
    }

    func mismatch(_ column: Int, _ wanted: String) -> DatabaseError {
        let type = PQftype(result, Int32(column))
        return DatabaseError(
            doing: "read column \(label(column))", message: "it is of type number \(type) and no \(wanted) that fits")
    }

    private func label(_ column: Int) -> String {
        PQfname(result, Int32(column)).map { "\(column) (\(String(cString: $0)))" } ?? "\(column)"
    }
}
