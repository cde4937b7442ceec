import CommandLineTool
import Postgres
import Store

/// One look at everything, and what happened since the look before. Pure once it is taken.
struct TopSnapshot: Sendable {
    var overview: SystemStatus
    var totals: ResultCounts
    /// Monotonic seconds at which it was taken.
    var at: Double
    var before: Before?

    /// The look before, as far as it is needed.
    struct Before: Sendable {
        var totals: ResultCounts
        var at: Double
    }

    /// What became of a hub's messages, per second between two looks; nil on the first look.
    struct Rates: Sendable, Equatable {
        var accepted: Double
        var failed: Double
        var retrying: Double
    }

    func rates(of hub: String) -> Rates? {
        guard let before, at > before.at else { return nil }
        func rate(_ statuses: String...) -> Double {
            let more = statuses.reduce(Int64(0)) { $0 + totals.more($1, at: hub, than: before.totals) }
            return Double(more) / (at - before.at)
        }
        return Rates(
            accepted: rate("accepted"), failed: rate("rejected", "expired", "in_doubt"), retrying: rate("retrying"))
    }

    /// - Parameter isExact: whether everything pending is counted, however much that is.
    static func take(
        _ database: Database, since: Timestamp, after last: TopSnapshot?, isExact: Bool, now: () -> Double
    ) async throws -> TopSnapshot {
        let overview = try await SystemStatus.read(from: database, isExact: isExact)
        let totals = try await ResultCounts.read(from: database, since: since)
        return TopSnapshot(
            overview: overview, totals: totals, at: now(), before: last.map { Before(totals: $0.totals, at: $0.at) })
    }

    var json: JSONOutput {
        .object([
            "hubs": .list(
                overview.hubs.map { hub in
                    let rates = rates(of: hub.hub)
                    return .object([
                        "hub": hub.json, "accepted_per_second": .decimal(rates?.accepted),
                        "failed_per_second": .decimal(rates?.failed), "retrying_per_second": .decimal(rates?.retrying),
                    ])
                }),
            "in_doubt": .number(overview.inDoubt), "more_in_doubt": .flag(overview.moreInDoubt),
            "workers": .list(overview.workers.map(\.json)),
        ])
    }
}
