import Postgres

/// What one message goes with (`push.context_of`).
public struct MessageContext: Sendable, Equatable {
    /// The W3C trace context of its caller; nil: none was given.
    public var traceparent: String?
    /// The other translations of its content, at most `limit`.
    public var translations: [Int64]
    /// The other messages of the newest post that carried it, at most `limit`.
    public var mates: [Int64]

    /// Where each list ends.
    public static let limit = 100

    public init(traceparent: String? = nil, translations: [Int64] = [], mates: [Int64] = []) {
        self.traceparent = traceparent
        self.translations = translations
        self.mates = mates
    }
}

extension Messages {
    /// - Returns: nil: no message has that id.
    public func context(of id: Int64) async throws(DatabaseError) -> MessageContext? {
        try await database.single(
            "SELECT traceparent, translations, mates FROM push.context_of(\(id))",
            doing: "look up what message \(id) goes with"
        ) { row in
            let traceparent = try row.stringOrNil()
            guard let translations = try row.int64ArrayOrNil() else {
                try row.skip()
                return nil
            }
            return MessageContext(
                traceparent: traceparent, translations: translations, mates: try row.int64ArrayOrNil() ?? [])
        }
    }
}
