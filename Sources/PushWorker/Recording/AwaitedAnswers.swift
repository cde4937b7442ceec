import Store

/// Answers that somebody waits for until they are recorded, at most one task each.
struct AwaitedAnswers {
    /// By post; nil: announced, and nobody waits yet.
    private var waiters: [Int64: CheckedContinuation<Void, Never>?] = [:]

    /// Before the answers are recorded: somebody will wait for them.
    mutating func announce(_ posts: some Sequence<Int64>) {
        for post in posts { waiters[post] = .some(nil) }
    }

    /// Whether an announced answer is not recorded yet.
    func isOpen(_ post: Int64) -> Bool { waiters.keys.contains(post) }

    mutating func wait(for post: Int64, _ continuation: CheckedContinuation<Void, Never>) {
        waiters[post] = .some(continuation)
    }

    /// These are recorded, or will never be.
    mutating func end(_ completion: Completion) {
        if waiters.isEmpty { return }
        for entry in completion.answered { waiters.removeValue(forKey: entry.post)??.resume() }
    }

    /// Nobody waits any longer.
    mutating func endAll() {
        for waiter in waiters.values { waiter?.resume() }
        waiters.removeAll()
    }
}
