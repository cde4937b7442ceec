import CommandLineTool
import PushWorker
import HTTPTransport
import Providers
import PushModel
import Signing

/// Requests about the installations of one hub. All of them may be repeated without harm, so that is done while the hub
/// says "later".
struct InstallationRequests: Sendable {
    let hub: HubConnection
    private let installations: Installations
    /// Tries of one request that the hub, or the way to it, fails. Being throttled is no failure.
    let tries: Int
    /// Times one request is throttled before that is believed.
    let patience: Int
    private let gate = ThrottleWait()

    /// Asks again for minutes: for many requests.
    ///
    /// - Parameter doing: `count devices`, for the error.
    /// - Throws: `Failure` for a kind of hub that keeps no devices.
    static func patient(
        _ hub: HubConnection, to doing: String = "speak of installations"
    ) throws(Failure) -> InstallationRequests {
        try InstallationRequests(hub, tries: 5, patience: 10, to: doing)
    }

    /// Asks once: for a person who waits.
    ///
    /// - Throws: as `patient`.
    static func quick(_ hub: HubConnection) throws(Failure) -> InstallationRequests {
        try InstallationRequests(hub, tries: 1, patience: 1, to: "speak of installations")
    }

    private init(_ hub: HubConnection, tries: Int, patience: Int, to doing: String) throws(Failure) {
        self.hub = hub
        installations = try hub.hub.installations(orCannot: doing)
        self.tries = tries
        self.patience = patience
    }

    /// - Throws: `InvalidInstallation` when the request cannot be made; `CancellationError`.
    func run(
        _ make: @Sendable (Installations, Pass) throws(InvalidInstallation) -> Request
    ) async throws -> InstallationAnswer {
        var failures = 0
        var throttles = 0
        while true {
            try await gate.pass()
            let reply = try await hub.perform { pass throws(InvalidInstallation) in try make(installations, pass) }
            let answer = installations.answer(to: reply)
            switch answer.verdict {
            case .throttled(let after, _, _):
                throttles += 1
                guard throttles < patience else { return answer }
                await gate.close(for: after)
            case .unavailable, .notSent, .unknown:
                failures += 1
                guard failures < tries else { return answer }
                var wait = Backoff(cap: 30).delay(attempt: failures, random: .random(in: 0...1))
                if case .unavailable(let after?, _) = answer.verdict { wait += after }
                try await Task.sleep(for: .seconds(wait))
            default: return answer
            }
        }
    }
}

/// Shut while a hub throttles: it counts the requests of all of us together.
private actor ThrottleWait {
    /// By the clock that never jumps.
    private var opensAt = 0.0

    func close(for seconds: Double) { opensAt = max(opensAt, Clock.system.monotonic() + seconds) }

    /// Returns once it is open.
    func pass() async throws {
        while case let wait = opensAt - Clock.system.monotonic(), wait > 0 { try await Task.sleep(for: .seconds(wait)) }
    }
}
