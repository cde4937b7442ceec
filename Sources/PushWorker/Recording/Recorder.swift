import Logging
import Postgres
import Store

/// Records what became of posts and messages: gathers for some milliseconds, then writes one statement for all lanes.
///
/// Nothing is dropped while the database is away: what could not be written is kept and written again. Lanes wait
/// (`waitForRoom`) when too much has gathered.
actor Recorder {
    private let queue: Queue
    private let settings: DispatchSettings
    private let clock: Clock
    private let log: Logger
    private let ownClaims: OwnClaims
    private var pending = Completion()
    /// When the running statement began, in monotonic seconds; nil: none runs.
    private var writingSince: Double?
    private var writer: CheckedContinuation<Void, Never>?
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var ended = false
    private var closing = false
    /// Entries per statement; halved when a statement is refused or takes too long, so that one bad entry does not keep
    /// the other results from being written.
    private var limit = Completion.most
    private var faults = 0
    /// Rounds in a row in which all that was left belonged to claims that another session holds.
    private var busyRounds = 0
    private(set) var counts = Counts()

    /// What was written since the start: messages, and posts.
    struct Counts: Sendable {
        var accepted = 0
        var rejected = 0
        var expired = 0
        var inDoubt = 0
        var retrying = 0
        var posts = 0

        mutating func add(_ outcome: MessageOutcome, _ messages: Int) {
            switch outcome.status {
            case .accepted: accepted += messages
            case .rejected: rejected += messages
            case .expired: expired += messages
            case .inDoubt: inDoubt += messages
            default: retrying += messages
            }
        }
    }

    /// Answers and outcomes kept at most before lanes have to wait.
    static let capacity = 20_000
    /// Seconds between two tries at claims that another session holds.
    private static let busySeconds = 0.1
    /// How many such tries a stopping worker makes.
    private static let mostBusyRounds = 100
    /// Posts after which writing starts without gathering longer (docs/storage.md, "Complete").
    private static let batch = 500

    init(queue: Queue, ownClaims: OwnClaims, settings: DispatchSettings, clock: Clock, log: Logger) {
        self.queue = queue
        self.ownClaims = ownClaims
        self.settings = settings
        self.clock = clock
        self.log = log
    }

    var isIdle: Bool { pending.isEmpty && writingSince == nil }

    /// What only this process knows, and how writing it goes.
    struct Backlog: Sendable {
        /// Answers and outcomes that are not recorded yet, without those of the running statement.
        var entries: Int
        /// Seconds the running statement has taken so far; nil: none runs.
        var writing: Double?
        /// Statements in a row that failed.
        var faults: Int
        /// Lanes that wait for room.
        var lanes: Int
    }

    var backlog: Backlog {
        Backlog(
            entries: pending.count, writing: writingSince.map { clock.monotonic() - $0 }, faults: faults,
            lanes: waiting.count)
    }

    func record(
        answered: [Completion.Answered] = [], left: [Completion.Left] = [], finished: [Int64] = []
    ) {
        pending.answered.append(contentsOf: answered)
        pending.left.append(contentsOf: left)
        pending.finished.append(contentsOf: finished)
        writer?.resume()
        writer = nil
    }

    /// Returns when there is room for more.
    func waitForRoom() async {
        while pending.count >= Self.capacity, !closing {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Writes until `end`, and then what is left.
    func run() async {
        while true {
            if pending.isEmpty {
                if ended { return }
                await withCheckedContinuation { writer = $0 }
                continue
            }
            if !ended, pending.answered.count < Self.batch {
                // Cancellation may cut it short: then what is there is written now.
                try? await Task.sleep(for: .seconds(settings.gatherSeconds))
            }
            await write()
            if ended, faults >= 3 || busyRounds >= Self.mostBusyRounds { return }
        }
    }

    /// The worker stops: lanes wait for room no longer, so that what is in flight comes to its end.
    func stopWaiting() {
        closing = true
        wakeLanes()
    }

    /// Nothing more will be recorded. `run` returns when all is written, or gives up at the next fault of the database:
    /// rescue finds what is not written then.
    func end() {
        ended = true
        stopWaiting()
        writer?.resume()
        writer = nil
    }

    private func write() async {
        let batch = pending.take(limit)
        writingSince = clock.monotonic()
        defer { writingSince = nil }
        do {
            let done = try await queue.complete(batch)
            let (busy, written) = batch.divided(by: Set(done.busy))
            count(written, done)
            ownClaims.forget(written.finished)
            faults = 0
            limit = min(limit * 2, Completion.most)
            await keepBusy(busy, isAll: written.isEmpty)
        } catch {
            pending.putBack(error.isTransient ? batch : narrow(batch))
            faults += 1
            log.error(
                "cannot record results; trying again", metadata: ["error": "\(error)", "entries": "\(batch.count)"])
            writingSince = nil
            // Cancellation may cut it short: then it is tried again at once.
            try? await Task.sleep(for: .seconds(settings.backoff.delay(attempt: min(faults, 4), random: 1)))
        }
        if pending.count < Self.capacity { wakeLanes() }
    }

    /// Entries of claims that another session holds are tried again behind all others, so they delay no other result.
    private func keepBusy(_ busy: Completion, isAll: Bool) async {
        guard isAll, !busy.isEmpty else {
            busyRounds = 0
            return pending.add(busy)
        }
        if busyRounds % 300 == 0 {
            log.warning(
                "another session holds rows of ours, so their results wait; push.snapshot_holders names who has a transaction open",
                metadata: [
                    "claims":
                        "\(Set(busy.finished + busy.left.map(\.claim) + busy.answered.map { Claim.of(post: $0.post) }).sorted())"
                ])
        }
        busyRounds += 1
        // Cancellation may cut it short: then it is tried again at once.
        try? await Task.sleep(for: .seconds(Self.busySeconds))
        pending.add(busy)
    }

    /// The database refused a statement. The next ones are half as long, until the entry it cannot take stands alone;
    /// that one is written without the texts of hubs and networks.
    private func narrow(_ batch: Completion) -> Completion {
        guard batch.count <= 1 else {
            limit = max(1, batch.count / 2)
            return batch
        }
        return batch.withoutTexts
    }

    private func wakeLanes() {
        for waiter in waiting { waiter.resume() }
        waiting.removeAll()
    }

    private func count(_ batch: Completion, _ done: Completed) {
        counts.posts += batch.answered.count
        for entry in batch.answered {
            if let outcome = entry.outcome { counts.add(outcome, entry.messages.count) }
        }
        for entry in batch.left { counts.add(entry.outcome, 1) }
        if !done.fenced.isEmpty {
            log.warning(
                "claims were rescued while we worked on them; answers were kept",
                metadata: ["claims": "\(done.fenced)", "late": "\(done.late)"])
        }
    }
}
