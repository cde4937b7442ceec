import Postgres
import PushModel

/// What a claim would take, and what would become of the contents with a key that it would gather.
public struct PeekedClaim: Sendable, Equatable {
    /// Leads and their translations, in the order in which a worker gets them; empty where all that it looked at ends.
    public var messages: [Message] = []
    /// Messages with a `content_key` that would end without a post: repeated, late, or beyond 100 translations.
    public var ended: [Refusal] = []
    /// What the runs say that messages belong to, by `Message.stream`.
    public var runContents: [Int64: RunContent] = [:]
    /// Of the last pointer that it would take.
    public var position: DuePosition

    public init(
        messages: [Message] = [], ended: [Refusal] = [], runContents: [Int64: RunContent] = [:], position: DuePosition
    ) {
        (self.messages, self.ended) = (messages, ended)
        (self.runContents, self.position) = (runContents, position)
    }

    /// - Parameter now: from which the seconds count that messages have left.
    /// - Returns: nil for no rows.
    init?(_ rows: borrowing Rows, _ priority: Priority, now: Double) throws {
        var isEmpty = true
        var messages: [Message] = []
        var ended: [Refusal] = []
        var position = DuePosition.start
        try rows.forEach { row in
            isEmpty = false
            let status = try row.stringOrNil()
            let (reason, note) = (try row.stringOrNil(), try row.stringOrNil())
            position = DuePosition(dueAt: try row.timestamp(), id: try row.int64())
            guard let status else {
                messages.append(try Queue.message(&row, priority, now: now))
                return
            }
            ended.append(
                Refusal(
                    message: try row.int64(), status: Status(rawValue: status) ?? .rejected,
                    reason: reason.flatMap(Reason.init(rawValue:)) ?? .notSendable, text: note ?? ""))
            row.skipRest()
        }
        if isEmpty { return nil }
        self.init(messages: messages, ended: ended, position: position)
    }
}
