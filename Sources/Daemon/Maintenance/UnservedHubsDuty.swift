import Logging
import Store

/// Messages of a hub that was taken out of every configuration expire, too, and the log says that it is there.
struct UnservedHubsDuty: Sendable {
    let hubs: Hubs
    /// Names of those that we serve: they are on record with the first heartbeat only.
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
