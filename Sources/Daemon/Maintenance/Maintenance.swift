import Concurrency
import Logging
import Postgres
import PushWorker
import Store
import Telemetry

/// What a worker does beside sending: a duty of this folder each, side by side.
struct Maintenance: Sendable {
    let database: Postgres.Database
    /// `push.hub.id` of the hubs that the worker serves.
    let hubs: [Int32]
    /// Their names.
    let names: Set<String>
    /// When the client certificates of hubs end, by name: seconds since 1970.
    let certificates: [String: Int64]
    let notice: SchemaNotice
    /// Whether it starts campaigns at the times of their schedules.
    let keepsSchedules: Bool
    let metrics: MetricsRegistry
    let log: Logger

    /// Works until `end` has happened or the task is cancelled.
    func run(until end: Latch) async {
        let working = Task { await work() }
        await end.wait()
        // Not awaited: a page of an audience may take half a minute, and its view may not let itself be cancelled. What is
        // half done when the process ends, the database takes back.
        working.cancel()
    }

    private func work() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await CampaignDuty(
                    database: database, hubs: hubs, keepsSchedules: keepsSchedules, metrics: metrics, log: log
                ).run()
            }
            group.addTask { await CertificateDuty(ends: certificates, log: log).run() }
            group.addTask {
                await Periodic(doing: "make partitions", log: log).run {
                    try await PartitionDuty(database: database, notice: notice, log: log).look()
                }
            }
            group.addTask {
                await Periodic(doing: "forget old keys", log: log).run {
                    try await KeyExpiryDuty(database: database, log: log).look()
                }
            }
            group.addTask {
                let duty = TemplateDuty(templates: DeviceTemplates(database: database), log: log)
                await Periodic(doing: "learn the templates of devices", log: log).run { try await duty.look() }
            }
            group.addTask {
                await Periodic(doing: "look for hubs that no worker serves", log: log).run {
                    try await UnservedHubsDuty(hubs: Hubs(database: database), served: names, log: log).look()
                }
            }
        }
    }
}
