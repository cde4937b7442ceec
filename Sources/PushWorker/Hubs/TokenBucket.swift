import Postgres
import Store

/// What a rate limiter asks of the database: the bucket of tokens that all workers share, one for each hub.
protocol TokenBucket: Sendable {
    /// - Returns: how many posts may leave, at most `wanted`, and the seconds until one more may.
    func takeTokens(
        _ hub: Int32, configured: Double, wanted: Int32
    ) async throws(DatabaseError) -> (granted: Int, wait: Double)

    /// Gives back permissions that were not used.
    func returnTokens(_ count: Int, of hub: Int32) async throws(DatabaseError)
}

extension Hubs: TokenBucket {}
