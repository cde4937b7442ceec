import Synchronization

/// What the database warned of while an action ran: a person has to read it, and nobody reads a log at that moment.
public final class SpokenWarnings: Sendable {
    private let texts = Mutex<[String]>([])

    /// More than anybody reads are dropped.
    private static let limit = 20

    public init() {}

    /// - Parameters:
    ///   - message: the words of the warning.
    ///   - hint: what to do; nil: nothing was said.
    public func add(_ message: String, hint: String?) {
        texts.withLock { if $0.count < Self.limit { $0.append(hint.map { "\(message). \($0)" } ?? message) } }
    }

    /// Those since the last call.
    func take() -> [String] {
        texts.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }
}
