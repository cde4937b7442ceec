import PushModel
import Store

/// How each worker serves a hub.
struct HubWorkersView {
    struct Worker {
        let workerName: String
        let workerState: String
        let workerLook: String
        let workerKey: String
        let workerToken: UntilView?
        let workerFlight: String
        let workerAnswers: String
        /// Half, 95 and 99 of 100 answers of the last minute came within these; empty: not measured.
        let workerTimes: String
        let workerSkew: String
        /// Which settings it works with.
        let workerSettings: String
        let workerTrouble: String?
        let workerReport: SinceView?
    }

    let hasWorkers: Bool
    let workers: [Worker]

    init(_ workers: [HubWorker], at now: Double) {
        hasWorkers = !workers.isEmpty
        self.workers = workers.map { worker in
            Worker(
                workerName: worker.name,
                workerState: worker.isAlive ? (worker.trouble == nil ? "serves" : "no pass") : "silent",
                workerLook: worker.isAlive && worker.trouble == nil ? "good" : "bad", workerKey: worker.key,
                workerToken: worker.tokenExpiresAt.flatMap { UntilView($0, at: now) },
                workerFlight: "\(HumanFormat.grouped(worker.inFlight)) of \(HumanFormat.grouped(worker.window))",
                workerAnswers: HumanFormat.rate(worker.answersPerSecond),
                workerTimes: worker.milliseconds.map { "\($0.p50) · \($0.p95) · \($0.p99) ms" } ?? "",
                workerSkew: ClockSkew.words(worker.skewSeconds),
                workerSettings: worker.differs ? "others than registered" : "as registered",
                workerTrouble: worker.trouble, workerReport: SinceView(worker.at, at: now))
        }
    }
}
