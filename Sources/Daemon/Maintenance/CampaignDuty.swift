import Campaigns
import Logging
import Postgres
import PushWorker
import Store
import Telemetry

/// Starts campaigns, expands their audiences and moves their runs on. On connections of its own: a page of an audience may
/// take seconds.
struct CampaignDuty: Sendable {
    let database: Postgres.Database
    /// `push.hub.id` of the hubs that the worker serves.
    let hubs: [Int32]
    let keepsSchedules: Bool
    let metrics: MetricsRegistry
    let log: Logger

    /// Works until its task is cancelled.
    func run() async {
        let own = database.another(maximumConnections: Expander.connections + Scheduler.connections + 1)
        let runs = Runs(database: own)
        let keeper = RunKeeper(runs: runs, log: log)
        let expander = Expander(runs: runs, hubs: hubs, keeper: keeper, monotonic: Clock.system.monotonic, log: log)
        await withDiscardingTaskGroup { group in
            group.addTask { await keeper.run() }
            group.addTask { await expander.run() }
            if keepsSchedules { group.addTask { await Scheduler(of: own, metrics: metrics, log: log).run() } }
        }
        await own.close()
    }
}

extension Scheduler {
    /// One that counts what it starts.
    init(of database: Postgres.Database, metrics: MetricsRegistry, log: Logger) {
        self.init(schedules: Schedules(database: database), monotonic: Clock.system.monotonic, log: log) {
            metrics.counter(.scheduledStarts, $0).add($1)
        }
    }
}
