import Store

/// Which portions of posts are written together. Pure: portions arrive, statements end.
///
/// As a group commit: while `atOnce` statements run, portions gather, and the next statement takes all of them. A lane alone
/// always finds a statement free. A hundred lanes share the transport's slots, so that each has a few posts only: a statement
/// and a commit for each of those cost five times as much of the server's CPU a message (docs/performance.md).
struct IntentLine<Ticket: Sendable>: Sendable {
    struct Entry: Sendable {
        let portion: IntentPortion
        /// Resumes the task that waits for it.
        let ticket: Ticket
    }

    /// Statements that run at the same time.
    static var atOnce: Int { 2 }
    /// Posts of one statement, but for a single portion.
    static var mostPosts: Int { 500 }

    private var running = 0
    private var waiting: [Entry] = []

    /// Portions in line.
    var count: Int { waiting.count }

    /// Whether a portion that arrives now may be written at once, by itself. Otherwise it waits: `append`.
    mutating func begin() -> Bool {
        guard running < Self.atOnce, waiting.isEmpty else { return false }
        running += 1
        return true
    }

    mutating func append(_ entry: Entry) { waiting.append(entry) }

    /// A statement has ended.
    ///
    /// - Returns: what the next one writes; empty: nothing waits. Of each claim one portion.
    mutating func ended() -> [Entry] {
        var group: [Entry] = []
        var rest: [Entry] = []
        var claims: Set<Int64> = []
        var posts = 0
        for entry in waiting {
            let fits = group.isEmpty || posts + entry.portion.posts.count <= Self.mostPosts
            if fits, claims.insert(entry.portion.claim).inserted {
                group.append(entry)
                posts += entry.portion.posts.count
            } else {
                rest.append(entry)
            }
        }
        waiting = rest
        if group.isEmpty { running -= 1 }
        return group
    }
}
