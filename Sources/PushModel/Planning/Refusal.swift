/// A message that is not sent, decided before anything left.
public struct Refusal: Sendable, Equatable {
    /// `push.message.id`.
    public var message: Int64
    /// `rejected` or `expired`.
    public var status: Status
    public var reason: Reason
    /// For people: column, value (shortened) and rule. Never holds a content's or a header's value.
    public var text: String

    public init(message: Int64, status: Status, reason: Reason, text: String) {
        self.message = message
        self.status = status
        self.reason = reason
        self.text = text
    }
}

/// Why something cannot be sent, before it is known which messages that concerns.
struct Unsendable: Error, Equatable {
    var reason: Reason
    var text: String

    /// Reason `not_sendable`, for a value of one column.
    init(_ column: String, _ value: String? = nil, _ rule: String) {
        reason = .notSendable
        text = column + (value.map { " " + $0.shown } ?? "") + ": " + rule
    }

    init(reason: Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }
}
