import Pages
import PushModel
import Store

/// One line of the table of workers.
struct WorkerRowView {
    let workerName: String
    let workerVersion: String
    let workerState: String
    /// Of the badge: `good`, `waits` or `bad`.
    let workerClass: String
    /// Since its last heartbeat; nil: it beats, and the page need not change each time.
    let workerSilence: AgeView?
    let workerHolds: String
    let workerDoing: String
    let workerTrouble: String

    init(_ worker: SystemStatus.Worker, now: Double) {
        workerName = worker.name
        workerVersion = worker.version
        (workerState, workerClass) =
            !worker.alive ? ("silent", "bad") : worker.trouble != nil ? ("in trouble", "waits") : ("beats", "good")
        workerSilence = worker.alive ? nil : Moment.seconds(worker.beatAt).map { AgeView(since: $0, at: now) }
        workerHolds =
            "\(OverviewText.messages(worker.messages)) in \(HumanFormat.count(worker.claims, "claim"))"
        workerDoing = worker.doing ?? "–"
        workerTrouble = worker.trouble ?? ""
    }
}
