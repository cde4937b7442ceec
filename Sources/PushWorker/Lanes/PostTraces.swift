import PushModel

/// The trace contexts of the messages of one post.
struct PostTraces: Sendable, Equatable {
    /// Contexts that one line of the log shows.
    static let most = 20

    /// Each once, in the order of the messages, at most `most`.
    private(set) var contexts: [TraceParent] = []
    /// Whether every message has the same one.
    private var isShared = true

    /// nil: no message has one.
    ///
    /// - Parameter known: by message; only those that have one.
    init?(of messages: [Int64], in known: [Int64: TraceParent]) {
        guard !known.isEmpty else { return nil }  // most claims: nothing is allocated
        for message in messages {
            guard let context = known[message] else {
                isShared = false
                continue
            }
            guard !contexts.contains(context) else { continue }
            if !contexts.isEmpty { isShared = false }
            if contexts.count < Self.most { contexts.append(context) }
        }
        if contexts.isEmpty { return nil }
    }

    /// What goes with the request; nil: the messages have several, or some have none.
    var shared: TraceParent? { isShared ? contexts[0] : nil }

    /// For the log: with a blank between two.
    var text: String { contexts.map(\.description).joined(separator: " ") }
}
