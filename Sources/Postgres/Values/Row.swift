import CLibpq

/// One row, lent by its `Rows` and read in the order of its SELECT: each reading function takes the next column.
///
/// `Line(id: try row.int64(), tag: try row.stringOrNil())` is right as long as its arguments stand in that order. `skip()`
/// passes a column over, and what is left unread at the end is an error, so that a new column cannot shift the others.
///
/// Every reading function throws `DatabaseError` when no column is left, the column is of another type, or it is NULL and
/// the name does not say `OrNil`. Only a `String` or an array allocates.
public struct Row: ~Copyable {
    private let result: OpaquePointer
    private let index: Int32
    private let columns: Int32
    /// Columns that were read or skipped.
    private var passed: Int32 = 0

    init(result: OpaquePointer, index: Int32, columns: Int32) {
        self.result = result
        self.index = index
        self.columns = columns
    }

    /// A `smallint`, `integer` or `bigint` whose value fits.
    public mutating func int16() throws(DatabaseError) -> Int16 {
        let field = try present()
        guard let value = field.integer.flatMap(Int16.init(exactly:)) else { throw mismatch("smallint") }
        return value
    }

    /// A `smallint`, `integer` or `bigint` whose value fits.
    public mutating func int32() throws(DatabaseError) -> Int32 {
        let field = try present()
        guard let value = field.integer.flatMap(Int32.init(exactly:)) else { throw mismatch("integer") }
        return value
    }

    /// A `smallint`, `integer` or `bigint`.
    public mutating func int64() throws(DatabaseError) -> Int64 {
        let field = try present()
        guard let value = field.integer else { throw mismatch("bigint") }
        return value
    }

    public mutating func bool() throws(DatabaseError) -> Bool {
        let field = try present()
        guard let value = field.bool else { throw mismatch("boolean") }
        return value
    }

    /// A `double precision` or `real`. A `numeric` has to be cast in the statement.
    public mutating func double() throws(DatabaseError) -> Double {
        let field = try present()
        guard let value = field.double else { throw mismatch("double precision") }
        return value
    }

    /// A text in any of its types: `text`, `varchar`, `name`, `json`, `jsonb`, `xml`, an enum.
    public mutating func string() throws(DatabaseError) -> String {
        let field = try present()
        guard let value = field.string else { throw mismatch("text") }
        return value
    }

    /// A `timestamptz`, or a `timestamp`, which is read as UTC.
    public mutating func timestamp() throws(DatabaseError) -> Timestamp {
        let field = try present()
        guard let value = field.timestamp else { throw mismatch("timestamptz") }
        return value
    }

    /// The bytes of a `bytea` or a text, copied.
    public mutating func bytes() throws(DatabaseError) -> [UInt8] {
        let field = try present()
        guard let value = field.content else { throw mismatch("bytea") }
        return [UInt8](value)
    }

    /// Lends the bytes of a `bytea` or a text where libpq received them. They are valid only inside `body`.
    public mutating func withBytes<T>(_ body: (UnsafeRawBufferPointer) throws(DatabaseError) -> T)
        throws(DatabaseError) -> T
    {
        let field = try present()
        guard let value = field.content else { throw mismatch("bytea") }
        return try body(value)
    }

    /// Passes columns over.
    ///
    /// - Parameter count: how many; by default the next one.
    public mutating func skip(_ count: Int = 1) throws(DatabaseError) {
        for _ in 0..<count { try advance() }
    }

    /// Passes over all columns that are left.
    public mutating func skipRest() { passed = columns }

    /// Checks that no column is left.
    @usableFromInline
    func end() throws(DatabaseError) {
        guard passed == columns else {
            throw DatabaseError(doing: "read a whole row", message: "\(passed) of \(columns) columns were read")
        }
    }

    /// The next field, nil when it is NULL.
    @inline(__always)
    mutating func field() throws(DatabaseError) -> Field? {
        let column = passed
        try advance()
        let length = PQgetlength(result, index, column)
        if length == 0, PQgetisnull(result, index, column) != 0 { return nil }
        guard PQfformat(result, column) == 1 else { throw fault("the server sent it in text form") }
        let bytes = UnsafeRawBufferPointer(start: PQgetvalue(result, index, column), count: Int(length))
        return Field(type: PQftype(result, column), bytes: bytes)
    }

    /// The next field.
    @inline(__always)
    mutating func present() throws(DatabaseError) -> Field {
        guard let field = try field() else { throw fault("it is null") }
        return field
    }

    // libpq reports a column out of range to a notice handler that may be freed already: so it is never asked for one.
    @inline(__always)
    private mutating func advance() throws(DatabaseError) {
        guard passed < columns else {
            throw DatabaseError(doing: "read column \(passed + 1)", message: "the result has \(columns) columns")
        }
        passed += 1
    }

    /// The column just read is of another type.
    func mismatch(_ wanted: String) -> DatabaseError {
        fault("it is of type number \(PQftype(result, passed - 1)) and no \(wanted) that fits")
    }

    /// What is wrong with the column just read. It is named, and counted from 1 as in `ORDER BY 1`.
    private func fault(_ message: String) -> DatabaseError {
        let name = PQfname(result, passed - 1).map { " (\(String(cString: $0)))" } ?? ""
        return DatabaseError(doing: "read column \(passed)\(name)", message: message)
    }
}
