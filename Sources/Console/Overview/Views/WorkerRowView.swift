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
    /// nil: it beats, or the person may not act.
    let workerRescue: ActionLink?

    init(_ worker: SystemStatus.Worker, for visit: Visit) {
        workerName = worker.name
        workerVersion = worker.version
        (workerState, workerClass) =
            !worker.alive ? ("silent", "bad") : worker.trouble != nil ? ("in trouble", "waits") : ("beats", "good")
        workerSilence = worker.alive ? nil : Moment.seconds(worker.beatAt).map { AgeView(since: $0, at: visit.now) }
        workerHolds =
            "\(OverviewText.messages(worker.messages)) in \(HumanFormat.count(worker.claims, "claim"))"
        workerDoing = worker.doing ?? "–"
        workerTrouble = worker.trouble ?? ""
        workerRescue =
            worker.alive ? nil : ActionLink(RescueWorkerAction(worker), "Rescue what it holds", for: visit)
    }
}
