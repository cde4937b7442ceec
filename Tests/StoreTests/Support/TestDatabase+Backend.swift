import TestSupport

/// What a backend calls about its own messages.
extension TestDatabase {
    /// `id answer` of each row of `push.cancel_own` or `push.retry_own`.
    func answers(_ call: String) async throws -> [String] {
        try await texts("SELECT concat_ws(' ', id, answer) FROM push.\(raw: call)")
    }

    /// `id inserted replaced` of one message.
    func enqueue(_ arguments: String) async throws -> String {
        try await texts("SELECT concat_ws(' ', id, inserted, replaced) FROM push.enqueue(\(raw: arguments))")
            .joined(separator: ", ")
    }
}
