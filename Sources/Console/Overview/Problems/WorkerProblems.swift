import Store

/// No worker, a silent one, one that cannot work.
enum WorkerProblems {
    /// Seconds without a heartbeat after which it is critical that nobody has rescued a worker.
    static let longestSilence = 60.0

    static func of(_ rows: OverviewRows, now: Double) -> [Problem] {
        guard let workers = rows.workers.value else { return [] }
        return [none(of: workers, rows)].compactMap(\.self) + workers.compactMap { silent($0, now: now) }
            + workers.compactMap(troubled)
    }

    private static func none(of workers: [SystemStatus.Worker], _ rows: OverviewRows) -> Problem? {
        guard !workers.contains(where: \.alive) else { return nil }
        // Where only drains work, nobody is there between two of them.
        let waits = rows.countedHubs.contains { $0.due > 0 }
        return Problem(
            kind: .noWorker, severity: waits ? .critical : .warning,
            since: workers.compactMap { Moment.seconds($0.beatAt) }.max(), what: "No worker lives",
            why: waits ? "messages are due and nobody sends them" : "nothing is due", todo: Remedies.noWorker)
    }

    private static func silent(_ worker: SystemStatus.Worker, now: Double) -> Problem? {
        guard !worker.alive else { return nil }
        let since = Moment.seconds(worker.beatAt)
        let isOld = since.map { now - $0 > longestSilence } ?? false
        return Problem(
            kind: .workerSilent, severity: isOld ? .critical : .warning, since: since,
            what: "Worker \(worker.name) is silent",
            why: worker.messages > 0 ? "it holds \(OverviewText.messages(worker.messages))" : "it holds no message",
            todo: Remedies.silentWorker)
    }

    private static func troubled(_ worker: SystemStatus.Worker) -> Problem? {
        guard worker.alive, let trouble = worker.trouble else { return nil }
        return Problem(
            kind: .workerTrouble, severity: .critical, what: "Worker \(worker.name) is kept from its work",
            why: trouble,
            todo: Remedies.cannotWrite)
    }
}
