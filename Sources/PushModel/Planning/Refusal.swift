/// A message that is not sent, decided before posting.
public struct Refusal: Sendable, Equatable {
    /// `push.message.id`.
    public var message: Int64
    /// `rejected` or `expired`.
    public var status: Status
    public var reason: Reason
    /// For operators: column, shortened value and rule. Never contains a value of a content or header.
    public var text: String

    public init(message: Int64, status: Status, reason: Reason, text: String) {
        self.message = message
        self.status = status
        self.reason = reason
        self.text = text
    }
}

/// Why a row or content cannot be sent; the caller knows the messages concerned.
struct Unsendable: Error, Equatable {
    var reason: Reason
    var text: String

    /// Reason `not_sendable`, for a value of one column.
    init(_ column: String, _ value: String? = nil, _ rule: String) {
        reason = .notSendable
        text = column + (value.map { " " + $0.quoted } ?? "") + ": " + rule
    }

    init(reason: Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }
}
