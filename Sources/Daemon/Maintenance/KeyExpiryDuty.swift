import Logging
import Postgres
import Store

/// Forgets keys that keep messages from being enqueued twice, when their time is over.
struct KeyExpiryDuty: Sendable {
    let database: Postgres.Database
    let log: Logger

    func look() async throws {
        let forgotten = try await KeyRetention.forget(in: database)
        if forgotten > 0 { log.info("forgot old keys", metadata: ["count": .stringConvertible(forgotten)]) }
    }
}
