import Signing
import Synchronization

/// `SAS.verify`, remembered for the second it was asked in: a sender uses one token for thousands of sends, and the
/// verdict cannot change while header, host, path and time are the same.
final class TokenCheck: Sendable {
    private struct Question: Hashable {
        let header: String
        let host: String
        let path: String
    }

    private struct State {
        var second: Int64 = .min
        var verdicts: [Question: SASVerification] = [:]
    }

    /// Different questions remembered; a stranger with a million tokens must not fill the memory with them.
    private static let limit = 256

    private let policies: [SASPolicy]
    private let state = Mutex(State())

    init(_ policies: [SASPolicy]) { self.policies = policies }

    /// - Parameter second: seconds since 1970.
    func verify(_ call: EmulatorRequest, second: Int64) -> SASVerification {
        let question = Question(header: call.authorization, host: call.host, path: call.path)
        let known = state.withLock { $0.second == second ? $0.verdicts[question] : nil }
        if let known { return known }
        let verdict = SAS.verify(
            question.header, host: question.host, path: question.path, keys: policies, now: second)
        state.withLock { state in
            if state.second != second || state.verdicts.count >= Self.limit { state = State(second: second) }
            state.verdicts[question] = verdict
        }
        return verdict
    }
}
