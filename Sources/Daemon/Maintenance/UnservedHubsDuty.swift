import Logging
import Store

/// Expires messages of hubs that no configuration has any more, and logs that such hubs have messages.
struct UnservedHubsDuty: Sendable {
    let hubs: Hubs
    /// Names of those that we serve: the database has them only after the first heartbeat.
    let served: Set<String>
    let log: Logger

    func look() async throws {
        let unserved = try await hubs.unserved().filter { !served.contains($0) }
        guard !unserved.isEmpty else { return }
        let expired = try await hubs.expireUnserved()
        log.warning(
            "no worker serves these hubs: their messages wait until they expire",
            metadata: ["hubs": "\(unserved.joined(separator: ", "))", "expired_now": .stringConvertible(expired)])
    }
}
