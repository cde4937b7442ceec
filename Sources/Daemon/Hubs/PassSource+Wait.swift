import Concurrency
import PushWorker
import Signing

extension PassSource {
    /// Waits for a pass, while `keepReady` runs: for a command, which has nothing else to do.
    ///
    /// - Parameter seconds: at most. Default: 10.
    /// - Throws: why there is none: at once when it is refused, at the end when it could not be fetched.
    public func waitForPass(to origin: String, within seconds: Double = 10) async throws(PassTrouble) -> Pass {
        let until = Clock.system.monotonic() + seconds
        while true {
            if let pass = pass(for: origin) { return pass }
            let trouble = trouble ?? .waiting(because: "it gives out no pass")
            if case .refused = trouble { throw trouble }
            guard Clock.system.monotonic() < until, !Task.isCancelled else { throw trouble }
            await Sleep.system(0.02)
        }
    }
}
