import Postgres

/// One thing that a page shows out of the database. The others are shown, too, when it cannot be read.
enum Part<Value: Sendable>: Sendable {
    case read(Value)
    case unread(Trouble)

    /// Nil when it could not be read.
    var value: Value? { if case .read(let value) = self { value } else { nil } }

    var trouble: Trouble? { if case .unread(let trouble) = self { trouble } else { nil } }
}

/// Why a part of a page is missing.
struct Trouble: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// The statement ran out of its time.
        case tookTooLong
        /// The login may not do it.
        case notAllowed
        /// What it reads is not in the schema: that is of another release.
        case notThere
        /// The server takes no changes: a standby.
        case readOnly
        /// The database cannot be reached, or has no place left.
        case away
        case other
    }

    var kind: Kind
    /// The part, as people know it: `workers`.
    var part: String
    /// The server's words, with its code.
    var words: String

    init(_ part: String, _ kind: Kind, _ words: String) {
        (self.part, self.kind, self.words) = (part, kind, words)
    }

    init(_ part: String, _ error: DatabaseError) {
        self.part = part
        words = error.why
        if error.is(.queryCancelled) {
            kind = .tookTooLong
        } else if error.is(.insufficientPrivilege) {
            kind = .notAllowed
        } else if error.is(.readOnlyTransaction) {
            kind = .readOnly
        } else if Self.undefined.contains(where: { error.is($0) }) {
            kind = .notThere
        } else {
            kind = error.isTransient ? .away : .other
        }
    }

    private static let undefined: [SQLState] = [
        .undefinedFunction, .undefinedTable, .undefinedColumn, .undefinedObject, .invalidSchemaName,
    ]
}
