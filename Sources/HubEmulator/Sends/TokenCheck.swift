import Signing
import Synchronization

/// `SAS.verify` with a cache for the current second: a sender uses one token for thousands of sends, and the result
/// cannot change while header, host, path and time are the same.
final class TokenCheck: Sendable {
    private struct Key: Hashable {
        let header: String
        let host: String
        let path: String
    }

    private struct State {
        var second: Int64 = .min
        var verdicts: [Key: SASVerification] = [:]
    }

    /// Most cached results, so that a client with a million tokens cannot fill the memory.
    private static let limit = 256

    private let policies: [SASPolicy]
    private let state = Mutex(State())

    init(_ policies: [SASPolicy]) { self.policies = policies }

    /// - Parameter second: seconds since 1970.
    func verify(_ request: EmulatorRequest, second: Int64) -> SASVerification {
        let key = Key(header: request.authorization, host: request.host, path: request.path)
        let cached = state.withLock { $0.second == second ? $0.verdicts[key] : nil }
        if let cached { return cached }
        let verdict = SAS.verify(
            key.header, host: key.host, path: key.path, keys: policies, now: second)
        state.withLock { state in
            if state.second != second || state.verdicts.count >= Self.limit { state = State(second: second) }
            state.verdicts[key] = verdict
        }
        return verdict
    }
}
