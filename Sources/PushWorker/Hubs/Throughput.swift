import Synchronization

/// How many answers a hub gives per second, and so how many messages are worth claiming at once: what it can take in about
/// two seconds (docs/storage.md, "Claim").
final class Throughput: Sendable {
    private struct State {
        /// Answers per second, smoothed over some seconds.
        var rate = 0.0
        var since: Double?
        var answers = 0
        /// Messages in those answers.
        var messages = 0
        /// Smoothed like the rate.
        var messagesPerPost = 1.0
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - count: posts.
    ///   - messages: what they carried.
    ///   - now: monotonic seconds.
    func answered(_ count: Int, messages: Int, now: Double) {
        state.withLock { state in
            state.answers += count
            state.messages += messages
            guard let since = state.since else {
                state.since = now
                return
            }
            let isFirst = state.rate == 0
            // Soon at first: a worker that has just begun claims little until it knows.
            guard now - since >= (isFirst ? 0.05 : 0.25) else { return }
            let rate = Double(state.answers) / (now - since)
            state.rate = isFirst ? rate : state.rate * 0.7 + rate * 0.3
            if state.answers > 0 {
                let perPost = Double(state.messages) / Double(state.answers)
                state.messagesPerPost = isFirst ? perPost : state.messagesPerPost * 0.7 + perPost * 0.3
            }
            state.since = now
            state.answers = 0
            state.messages = 0
        }
    }

    /// Answers per second; 0 after ten seconds without one.
    func rate(now: Double) -> Double {
        state.withLock { state in
            guard let since = state.since, now - since < 10 else { return 0 }
            return state.rate
        }
    }

    /// Messages that one post carried lately.
    var messagesPerPost: Double { state.withLock { $0.messagesPerPost } }

    /// - Parameter limit: the most.
    func appetite(limit: Int) -> Int {
        state.withLock { min(limit, max(100, Int($0.rate * $0.messagesPerPost * 2))) }
    }
}
