import CLibpq

/// The rows of one reply, as libpq received them. Freed exactly once, when the value dies.
///
/// Usually borrowed: `query` lends it to a closure. `rows` gives it away: then it lives as long as its owner, without a
/// connection, so a batch of messages can be kept and read in place.
///
/// A row is lent too and cannot be stored. Its columns are read in the order of the SELECT, all of them:
/// ```swift
/// try await database.query("SELECT id, tag FROM push.message") { rows in
///     try rows.map { row in Line(id: try row.int64(), tag: try row.stringOrNil()) }
/// }
/// ```
// Sendable: libpq never changes a reply it has received, any thread may read it, and it has one owner.
public struct Rows: ~Copyable, @unchecked Sendable {
    private let raw: OpaquePointer
    /// Number of rows.
    public let count: Int
    /// Number of columns.
    public let columns: Int

    init(owning raw: OpaquePointer) {
        self.raw = raw
        self.count = Int(PQntuples(raw))
        self.columns = Int(PQnfields(raw))
    }

    deinit { PQclear(raw) }

    public var isEmpty: Bool { count == 0 }

    /// Rows inserted, updated, deleted or selected; 0 for other statements.
    public var affected: Int {
        guard let text = PQcmdTuples(raw) else { return 0 }
        return Int(String(cString: text)) ?? 0  // the text is empty for other statements
    }

    /// What the statement was, in the server's words: `INSERT 0 1`, `COMMIT`.
    var command: String { PQcmdStatus(raw).map { String(cString: $0) } ?? "" }

    /// Lends every row.
    ///
    /// - Throws: what `body` throws, or `DatabaseError` when it leaves columns of a row unread.
    @inlinable
    public func forEach(_ body: (inout Row) throws -> Void) throws {
        for index in 0..<count { try read(index, body) }
    }

    /// The values of all rows.
    ///
    /// - Throws: as `forEach`.
    @inlinable
    public func map<T>(_ transform: (inout Row) throws -> T) throws -> [T] {
        var values: [T] = []
        values.reserveCapacity(count)
        for index in 0..<count { values.append(try read(index, transform)) }
        return values
    }

    /// The value of the first row; nil without rows.
    ///
    /// - Throws: as `forEach`.
    @inlinable
    public func first<T>(_ transform: (inout Row) throws -> T) throws -> T? {
        count == 0 ? nil : try read(0, transform)
    }

    /// The value of the only row.
    ///
    /// - Throws: as `forEach`, and `DatabaseError` when there is no row or more than one.
    @inlinable
    public func single<T>(_ transform: (inout Row) throws -> T) throws -> T {
        guard count == 1 else {
            throw DatabaseError(doing: "read the only row", message: "the statement returned \(count) rows")
        }
        return try read(0, transform)
    }

    /// Lends all of it.
    ///
    /// - Throws: `DatabaseError`; another error that `read` throws comes as its `underlying`.
    func lend<T>(doing: String, to read: (borrowing Rows) throws -> T) throws(DatabaseError) -> T {
        do {
            return try read(self)
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw DatabaseError(doing: doing, message: String(describing: error), underlying: error)
        }
    }

    @inlinable
    func read<T>(_ index: Int, _ body: (inout Row) throws -> T) throws -> T {
        var row = self.row(index)
        let value = try body(&row)
        try row.end()
        return value
    }

    /// One row, from 0. It must not outlive this value, which the type does not say: for `read` only.
    @usableFromInline
    func row(_ index: Int) -> Row { Row(result: raw, index: Int32(index), columns: Int32(columns)) }
}
