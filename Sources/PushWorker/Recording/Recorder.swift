import Logging
import Postgres
import Store

/// Writes down what became of posts and messages: gathers for some milliseconds, then one statement for all lanes.
///
/// Nothing is dropped while the database is away: it is kept and written again and again. Lanes wait (`room`) when too
/// much has gathered.
actor Recorder {
    private let queue: Queue
    private let settings: DispatchSettings
    private let clock: Clock
    private let log: Logger
    private let ownClaims: OwnClaims
    private var pending = Completion()
    /// Monotonic seconds when the statement began that is under way; nil: none is.
    private var writingSince: Double?
    private var writer: CheckedContinuation<Void, Never>?
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var ended = false
    private var closing = false
    /// Entries per statement; halved when a statement is refused or takes too long, so that one bad entry keeps nobody
    /// else's result from being written.
    private var limit = Completion.most
    private var faults = 0
    /// Rounds in a row in which everything that was left belonged to claims that another session holds.
    private var rounds = 0
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
    /// Seconds between two looks at claims that another session holds, and how often the end of the worker waits for them.
    private static let busySeconds = 0.1
    private static let patience = 100
    /// Posts after which writing starts without gathering longer (storage.md section 3, point 5).
    private static let batch = 500

    init(queue: Queue, ownClaims: OwnClaims, settings: DispatchSettings, clock: Clock, log: Logger) {
        self.queue = queue
        self.ownClaims = ownClaims
        self.settings = settings
        self.clock = clock
        self.log = log
    }

    var isIdle: Bool { pending.isEmpty && writingSince == nil }

    /// What only this process knows, and how it fares with writing it down.
    struct Backlog: Sendable {
        /// Answers and outcomes that are not recorded yet, without those of the statement under way.
        var entries: Int
        /// Seconds the statement under way has taken so far; nil: none is under way.
        var writing: Double?
        /// Statements in a row that did not work.
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
    func room() async {
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
                // Cut short by cancellation only: then what there is gets written now.
                try? await Task.sleep(for: .seconds(settings.gatherSeconds))
            }
            await write()
            if ended, faults >= 3 || rounds >= Self.patience { return }
        }
    }

    /// Nobody waits for room any more: the worker is stopping, and what is under way must come to its end.
    func stopWaiting() {
        closing = true
        wakeLanes()
    }

    /// Nothing more will be recorded; `run` returns when all is written, or gives up at the next fault of the database:
    /// what is not written then is found by rescue.
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
            await keep(busy, isAll: written.isEmpty)
        } catch {
            pending.putBack(error.isTransient ? batch : narrow(batch))
            faults += 1
            log.error(
                "cannot record results; trying again", metadata: ["error": "\(error)", "entries": "\(batch.count)"])
            writingSince = nil
            // Cut short by cancellation only: then it is tried again at once.
            try? await Task.sleep(for: .seconds(settings.backoff.delay(attempt: min(faults, 4), random: 1)))
        }
        if pending.count < Self.capacity { wakeLanes() }
    }

    /// What belongs to claims that another session holds comes again, behind everything else: it delays nobody.
    private func keep(_ busy: Completion, isAll: Bool) async {
        guard isAll, !busy.isEmpty else {
            rounds = 0
            return pending.add(busy)
        }
        if rounds % 300 == 0 {
            log.warning(
                "another session holds rows of ours, so their results wait; push.snapshot_holders names who has a transaction open",
                metadata: [
                    "claims":
                        "\(Set(busy.finished + busy.left.map(\.claim) + busy.answered.map { Claim.of(post: $0.post) }).sorted())"
                ])
        }
        rounds += 1
        // Cut short by cancellation only: then it is tried again at once.
        try? await Task.sleep(for: .seconds(Self.busySeconds))
        pending.add(busy)
    }

    /// The database refused a statement. The next ones are half as long, until the entry it cannot take stands alone;
    /// that one is written without the texts of others.
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
