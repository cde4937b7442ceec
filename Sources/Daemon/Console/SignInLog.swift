import Concurrency
import Console
import Logging
import Telemetry

/// Who signed in to the console, and who could not.
///
/// The log escapes names, which anybody can choose. An address that guesses gets ten lines a minute for its passwords, and one for what
/// is refused after them.
struct SignInLog: Sendable {
    let log: Logger
    private let refusals: RateLimitedLog

    /// - Parameter now: seconds that never go back. Default: the system's clock.
    init(_ log: Logger, now: @escaping @Sendable () -> Double = SystemClock.monotonicSeconds) {
        self.log = log
        refusals = RateLimitedLog(now: now)
    }

    func note(_ event: SignInEvent) {
        let address = event.address ?? "unknown"
        let metadata: Logger.Metadata = ["person": "\(event.name)", "from": "\(address)"]
        switch event.outcome {
        case .signedIn: log.info("signed in to the console", metadata: metadata)
        case .wrong:
            log.warning("a sign-in to the console failed: no user has this name and this password", metadata: metadata)
        case .tooOften:
            refusals.log(
                .warning, "too many wrong passwords for the console; this address has to wait", key: address, to: log,
                metadata: metadata)
        }
    }
}
