import Foundation
import Postgres

/// Follows a run until it is over: reads the hub's journal, looks at what waits, and disturbs it when it is time.
struct CampaignWatch {
    let testBed: TestBed
    /// `push.run.id`.
    let run: Int64
    private(set) var journal: CampaignJournal
    /// Messages that waited in push.due, at most.
    private(set) var mostAhead: Int64 = 0

    /// A run in which nothing reaches the hub for that long is stuck, or has too few workers.
    static let patience = Duration.seconds(120)

    init(testBed: TestBed, run: Int64, journal: CampaignJournal) {
        (self.testBed, self.run, self.journal) = (testBed, run, journal)
    }

    mutating func read() { journal.read(testBed.emulator.journal(after: journal.number)) }

    /// Returns when the run and all disturbances are over, or when nothing has moved for too long.
    ///
    /// - Returns: what was done, and when it began: the share of the recipients that the hub had then.
    mutating func untilItIsOver(
        _ schedule: DisturbancePlan, _ injector: FaultInjector, workers: Int, _ progress: (String) -> Void
    ) async throws -> [DisturbancePlan.Moment] {
        var waiting = schedule.moments[...]
        var done: [DisturbancePlan.Moment] = []
        var injected: [Task<Void, Never>] = []
        let began = ContinuousClock.now
        var (moved, told) = (began, began)
        while moved.duration(to: .now) < Self.patience {
            let before = journal.number
            read()
            if journal.number > before { moved = .now }
            let seen = try await look()
            let share = Double(journal.reached) / Double(journal.audience.count)
            // A worker that holds nothing loses nothing: it is killed while it has messages in hand.
            if let next = waiting.first, share >= next.share,
                next.disturbance == .stopDatabase || seen.loaded == workers
            {
                waiting.removeFirst()
                done.append(.init(disturbance: next.disturbance, share: share))
                injected += Self.inject(next.disturbance, schedule, injector, workers: workers)
            }
            if seen.isOver { break }
            if told.duration(to: .now) >= .seconds(1) {
                told = .now
                progress("\(Int(began.duration(to: .now) / .seconds(1))) s: the hub took \(journal.reached) recipients")
                try await testBed.fleet.look()
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        for task in injected { await task.value }
        return done
    }

    private static func inject(
        _ disturbance: DisturbancePlan.Disturbance, _ schedule: DisturbancePlan, _ injector: FaultInjector,
        workers: Int
    ) -> [Task<Void, Never>] {
        func task(_ kind: InjectedFault.Kind, worker: Int) -> Task<Void, Never> {
            let fault = InjectedFault(kind: kind, at: 0, lasts: 0, worker: worker, seed: 0)
            return Task { await injector.carryOut(fault) }
        }
        return switch disturbance {
        case .killOne: [task(.killWorker, worker: schedule.worker)]
        case .killAll: (0..<workers).map { task(.killWorker, worker: $0) }
        case .stopDatabase: [task(.stopDatabaseAtOnce, worker: 0)]
        }
    }

    /// - Returns: how many of the living workers hold messages, and whether the run has ended and is counted.
    private mutating func look() async throws -> (loaded: Int, isOver: Bool) {
        // A worker's name ends with its process id.
        let living = await testBed.fleet.ids.map(String.init).joined(separator: " ")
        let seen: (ahead: Int64, loaded: Int64, isOver: Bool)?
        do {
            seen = try await testBed.database.query(
                """
                SELECT (SELECT count(*) FROM push.due),
                       (SELECT count(DISTINCT w.id) FROM push.claim c JOIN push.worker w ON w.id = c.worker
                         WHERE regexp_replace(w.name, '^.*/', '') = ANY (string_to_array(\(living), ' '))),
                       r.closed_at IS NOT NULL
                  FROM push.run r
                 WHERE r.id = \(run)
                """
            ) { rows in try rows.first { row in (try row.int64(), try row.int64(), try row.bool()) } }
        } catch {
            guard error.isTransient else { throw error }
            return (0, false)  // the server is away, on purpose
        }
        mostAhead = max(mostAhead, seen?.ahead ?? 0)
        return (Int(seen?.loaded ?? 0), seen?.isOver ?? true)
    }
}
