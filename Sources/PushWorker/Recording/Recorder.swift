import Concurrency
import Logging
import Postgres
import Store

/// Records what became of posts and messages: gathers for some milliseconds, then writes one statement for all lanes.
///
/// Nothing is dropped while the database is away: what could not be written is kept and written again. Lanes wait
/// (`waitForRoom`) when too much has gathered.
actor Recorder {
    private let queue: any ResultStore
    private let settings: DispatchSettings
    private let clock: Clock
    private let sleep: Sleep
    private let log: Logger
    private let events: LaneEvents
    /// For readers that must not wait for us.
    nonisolated let state = RecorderState()
    private var pending = Completion()
    private var refused = RefusedEntries()
    /// When the running statement began, in monotonic seconds; nil: none runs.
    private var writingSince: Double?
    /// Entries of the running statement.
    private var writing = 0
    private var writer: CheckedContinuation<Void, Never>?
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var awaited = AwaitedAnswers()
    private var ended = false
    private var closing = false
    /// Entries per statement; halved when a statement is refused or takes too long, so that one bad entry does not keep
    /// the other results from being written.
    private var limit = Completion.most
    private var faults = 0
    /// Rounds in a row in which all that was left belonged to claims that another session holds.
    private var busyRounds = 0
    private(set) var counts = Counts()

    /// Answers and outcomes kept at most before lanes have to wait, and their messages.
    static let capacity = 20_000
    static let messageCapacity = 200_000
    /// Seconds between two tries at claims that another session holds.
    private static let busySeconds = 0.1
    /// How many such tries a stopping worker makes.
    private static let mostBusyRounds = 100
    /// Faults of the database after which a stopping worker tries no more.
    private static let mostFaults = 3
    /// Posts after which writing starts without gathering longer (docs/storage.md, "Complete").
    private static let batch = 500

    init(
        queue: any ResultStore, events: LaneEvents, settings: DispatchSettings, clock: Clock,
        sleep: Sleep = .system, log: Logger
    ) {
        self.queue = queue
        self.events = events
        self.settings = settings
        self.clock = clock
        self.sleep = sleep
        self.log = log
    }

    var isIdle: Bool { pending.isEmpty && refused.isEmpty && writingSince == nil }

    private var hasRoom: Bool {
        pending.count + refused.entries.count < Self.capacity && pending.messages < Self.messageCapacity
    }

    /// Whether a stopping worker has tried enough.
    private var isHopeless: Bool { ended && (faults >= Self.mostFaults || busyRounds >= Self.mostBusyRounds) }

    var backlog: Backlog {
        Backlog(
            entries: pending.count + refused.entries.count, writing: writingSince.map { clock.monotonic() - $0 },
            faults: faults,
            lanes: waiting.count)
    }

    /// - Parameter awaited: posts of these answers that somebody will call `untilRecorded` for.
    func record(
        answered: [Completion.Answered] = [], left: [Completion.Left] = [], finished: [Int64] = [],
        awaited posts: some Sequence<Int64> = EmptyCollection<Int64>()
    ) {
        if !closing { awaited.announce(posts) }
        pending.answered.append(contentsOf: answered)
        pending.left.append(contentsOf: left)
        pending.finished.append(contentsOf: finished)
        tellState()
        writer?.resume()
        writer = nil
    }

    private func tellState() {
        state.update(
            entries: pending.count + refused.entries.count + writing, lanes: waiting.count, now: clock.monotonic())
    }

    /// Returns when there is room for more.
    func waitForRoom() async {
        while !hasRoom, !closing {
            await withCheckedContinuation { continuation in
                waiting.append(continuation)
                tellState()
            }
        }
    }

    /// Returns when this answer is recorded, or will not be any more: it was given up, or the worker stops. At most one
    /// task waits for a post, and it was announced to `record`.
    func untilRecorded(_ post: Int64) async {
        guard awaited.isOpen(post) else { return }
        await withCheckedContinuation { awaited.wait(for: post, $0) }
    }

    /// Writes until `end`, and then what is left.
    func run() async {
        while !isHopeless {
            if let entry = refused.takeDue(now: ended ? .infinity : clock.monotonic()) { await writeAlone(entry) }
            if !pending.isEmpty {
                if !ended, pending.answered.count < Self.batch { await sleep(settings.gatherSeconds) }
                await write()
            } else if !refused.isEmpty {
                if !ended { await sleep(Self.busySeconds) }
            } else if ended {
                return
            } else {
                await withCheckedContinuation { writer = $0 }
            }
            if !waiting.isEmpty, hasRoom { wakeLanes() }
        }
    }

    /// The worker stops: lanes wait for room no longer, so that what is in flight comes to its end.
    func stopWaiting() {
        closing = true
        wakeLanes()
        awaited.endAll()
    }

    /// Nothing more will be recorded. `run` returns when all is written, or gives up at the third fault of the database,
    /// or when another session has held a claim for ten more seconds: rescue finds what is not written then.
    func end() {
        ended = true
        // What failed before says nothing about the tries that are left.
        faults = 0
        busyRounds = 0
        stopWaiting()
        writer?.resume()
        writer = nil
    }

    private func write() async {
        var batch = pending.take(limit)
        finish(&batch)
        if batch.isEmpty { return }
        let began = clock.monotonic()
        writingSince = began
        writing = batch.count
        defer { endOfStatement() }
        do {
            let done = try await queue.complete(batch)
            let now = clock.monotonic()
            let (busy, written) = batch.divided(by: Set(done.busy))
            if !written.isEmpty { state.wrote(began: began) }
            count(written, done)
            events.report(.recorded(written, began: began, now: now))
            faults = 0
            limit = min(limit * 2, Completion.most)
            await keepBusy(busy, isAll: written.isEmpty)
        } catch {
            log.error(
                "cannot record results; trying again",
                metadata: ["error": "\(error.why)", "entries": .stringConvertible(batch.count)])
            events.report(.recordingFailed(batch, error, began: began))
            batch.mayBeRecorded = true
            if error.isAboutValues, batch.count > 0 {
                narrow(batch)
                return
            }
            pending.putBack(batch)
            endOfStatement()
            await pauseAfterFault()
        }
    }

    private func endOfStatement() {
        writingSince = nil
        writing = 0
        tellState()
    }

    /// Waits after a fault of the database, unless nothing is tried after that.
    private func pauseAfterFault() async {
        faults += 1
        if isHopeless { return }
        // Cancellation may cut it short: then it is tried again at once.
        await queue.waitUntilBack(
            atMost: settings.backoff.delay(attempt: min(faults, 4), random: .random(in: 0.5...1)))
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
        await pauseWhileBusy()
        pending.add(busy)
    }

    private func pauseWhileBusy() async {
        busyRounds += 1
        await sleep(Self.busySeconds)
    }

    /// The database refused what is in a statement. The next ones are half as long, until the entry it cannot take stands
    /// alone; that one is written without the texts of hubs and networks, and no other waits for it.
    private func narrow(_ batch: Completion) {
        guard batch.count == 1 else {
            limit = max(1, batch.count / 2)
            return pending.putBack(batch)
        }
        var entry = batch.withoutTexts
        pending.finished += entry.finished
        entry.finished = []
        refused.add(entry, tryAt: clock.monotonic())
    }

    private func writeAlone(_ entry: RefusedEntries.Entry) async {
        let began = clock.monotonic()
        writingSince = began
        writing = 1
        defer { endOfStatement() }
        let tryAt = began + settings.backoff.delay(attempt: entry.tries, random: 1)
        do {
            let done = try await queue.complete(entry.completion)
            guard done.busy.isEmpty else {
                refused.postpone(entry, tryAt: tryAt)
                if ended { await pauseWhileBusy() }
                return
            }
            let now = clock.monotonic()
            count(entry.completion, done)
            events.report(.recorded(entry.completion, began: began, now: now))
            finishWaiting()
        } catch  where error.isAboutValues {
            guard refused.refused(entry, tryAt: tryAt) else { return }
            await giveUp(entry, because: error)
        } catch {
            events.report(.recordingFailed(entry.completion, error, began: began))
            refused.postpone(entry, tryAt: tryAt)
            guard ended else { return }
            log.error("cannot record a result; trying again", metadata: ["error": "\(error.why)"])
            await pauseAfterFault()
        }
    }

    /// The database will never take this entry.
    private func giveUp(_ entry: RefusedEntries.Entry, because error: DatabaseError) async {
        do {
            try await queue.giveUp(entry.completion, because: "\(error)")
        } catch let fault {
            log.error("cannot record that a result is given up; trying again", metadata: ["error": "\(fault)"])
            refused.postpone(
                entry, tryAt: clock.monotonic() + settings.backoff.delay(attempt: entry.tries, random: 1))
            if ended { await pauseAfterFault() }
            return
        }
        log.critical(
            "a result cannot be recorded and is given up: what was sent ends in doubt, everything else is due again",
            metadata: [
                "post": "\(entry.completion.answered.first.map { "\($0.post)" } ?? "none")",
                "messages":
                    "\((entry.completion.answered.first?.messages ?? entry.completion.left.map(\.message)).prefix(20))",
                "error": "\(error)",
            ])
        refused.givenUp(entry)
        awaited.end(entry.completion)
        finishWaiting()
    }

    /// Claims that waited for the entry may be finished now.
    private func finishWaiting() {
        var waited = Completion()
        finish(&waited)
        pending.add(waited)
    }

    /// Keeps back claims that cannot be finished yet, or ever.
    private func finish(_ batch: inout Completion) {
        let (now, strays) = refused.finishable(batch.finished)
        batch.finished = now
        events.ownClaims.forget(strays)
    }

    private func wakeLanes() {
        for waiter in waiting { waiter.resume() }
        waiting.removeAll()
        tellState()
    }

    private func count(_ batch: Completion, _ done: Completed) {
        awaited.end(batch)
        counts.posts += batch.answered.count
        for entry in batch.answered {
            if let outcome = entry.outcome { count(outcome, entry.messages, of: Claim.of(post: entry.post), done) }
        }
        for entry in batch.left { count(entry.outcome, [entry.message], of: entry.claim, done) }
        if !done.fenced.isEmpty {
            log.warning(
                "claims were rescued while we worked on them; answers were kept",
                metadata: [
                    "claims": .array(done.fenced.map { .stringConvertible($0) }),
                    "late": .stringConvertible(done.late),
                ])
        }
    }

    private func count(_ outcome: MessageOutcome, _ messages: [Int64], of claim: Int64, _ done: Completed) {
        counts.add(outcome, messages.count)
        events.report(.ended(outcome, messages, of: claim, isFenced: done.fenced.contains(claim)))
    }
}
