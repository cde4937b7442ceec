import CLibpq

/// The rows of one reply, as libpq received them. Freed exactly once, when the value dies.
///
/// Usually borrowed: `query` lends it to a closure. `rows` gives it away: then it lives as long as its owner, without a
/// connection, so a batch of messages can be kept and read in place.
///
/// A row is borrowed too and cannot be stored:
/// ```swift
/// try await database.query("SELECT id, tag FROM push.message") { rows in
///     try rows.map { row in try Line(id: row.int64(0), tag: row.stringOrNil(1)) }
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

    /// One row, from 0. An index out of range stops the program, as with an array.
    public subscript(index: Int) -> Row {
        _read {
            precondition(index >= 0 && index < count, "row \(index) of \(count)")
            yield Row(result: raw, index: Int32(index), columns: Int32(columns))
        }
    }

    @inlinable
    public func forEach<E: Error>(_ body: (borrowing Row) throws(E) -> Void) throws(E) {
        for index in 0..<count { try body(self[index]) }
    }

    @inlinable
    public func map<T, E: Error>(_ transform: (borrowing Row) throws(E) -> T) throws(E) -> [T] {
        var values: [T] = []
        values.reserveCapacity(count)
        for index in 0..<count { values.append(try transform(self[index])) }
        return values
    }

    /// The value of the first row; nil without rows.
    @inlinable
    public func first<T, E: Error>(_ transform: (borrowing Row) throws(E) -> T) throws(E) -> T? {
        count == 0 ? nil : try transform(self[0])
    }
}
