import Foundation
import HubEmulator
import Postgres
import PushModel
import Store

/// Small runs over two hubs on a private test bed, steered by a person while things break, from an empty directory to a
/// report.
public struct SteeringRun: Sendable {
    public struct Options: Sendable {
        public var seed: UInt64
        /// During which things break and the person acts.
        public var seconds = 60.0
        /// Of each run.
        public var recipients = 3_000
        public var workers = 2
        /// Leave logs and data behind when a promise was broken.
        public var keep = false

        public init(seed: UInt64) { self.seed = seed }
    }

    /// What may make a run wait or repeat itself. Not what holds a hub until a person resumes it.
    static let kinds: [InjectedFault.Kind] = [
        .killWorker, .pauseWorker, .pauseBriefly, .stopWorker, .reloadWorker, .stopDatabaseAtOnce, .stopDatabase,
        .killSessions, .cutBeforeBody, .cutAfterBody, .cutAfterTaking, .cutAnswer, .throttle, .serverError, .hang,
    ]

    let options: Options
    /// Gets a line about once a second.
    let progress: @Sendable (String) -> Void

    public init(_ options: Options, progress: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.progress = progress
    }

    /// - Parameter worker: the path of the program `fanfare`.
    /// - Throws: when the run could not be made; what it found is in the report.
    public func run(worker: String) async throws -> SteeringReport {
        var bed = ChaosRun.Options(seed: options.seed)
        bed.workers = options.workers
        bed.kinds = Self.kinds
        bed.keep = options.keep
        return try await TestBed.with(bed, worker: worker, isGood: \.isGood) { try await steer($0) }
    }

    private func steer(_ testBed: TestBed) async throws -> SteeringReport {
        let audience = CampaignAudience(count: options.recipients)
        progress("making \(audience.count) recipients")
        try await audience.make(in: testBed.database)
        try await testBed.database.script(
            """
            CREATE VIEW marketing.zoned AS
            SELECT id AS key, tag, json_strip_nulls(json_build_object('name', first_name)) AS properties,
                   CASE id % 2 WHEN 0 THEN 'UTC' ELSE 'Africa/Abidjan' END AS time_zone
              FROM marketing.customer;
            GRANT SELECT ON marketing.zoned TO push_audience;
            """)
        try await testBed.fleet.start()
        try await testBed.waitForHubs()
        let schedule = FaultPlan(
            seed: options.seed, seconds: options.seconds, workers: options.workers, leaseSeconds: TestBed.leaseSeconds,
            kinds: Self.kinds)
        let injector = FaultInjector(testBed: testBed) { [] }
        let owner = OwnerTraffic(database: testBed.database, seed: options.seed &+ 1)
        let hostile = HostileOwner(database: testBed.database, seed: options.seed &+ 3)
        try await hostile.prepare()
        let start = ContinuousClock.now
        let working = Task { await owner.work() }
        let attacking = Task { await hostile.work() }
        let watching = Task { try await self.watch(testBed, owner, injector, since: start) }
        await injector.carryOut(schedule, since: start)
        await injector.stop()
        for task in [working, attacking] {
            task.cancel()
            await task.value
        }
        await owner.settle()
        let unspoken = try await hostile.open()
        try await hostile.settle()
        let rested = try await rest(testBed)
        watching.cancel()
        var watch = try await watching.value
        await testBed.fleet.stop()

        progress("reading what happened")
        let runs = await owner.runs
        for run in runs { try await watch.look(at: run) }
        var facts = try await EvidenceReader(
            database: testBed.database, emulator: testBed.emulator, emulatorBegan: testBed.emulatorBegan, forgotten: []
        ).facts(of: runs, audience: audience)
        facts.standstills = await injector.pauses
        facts.differences = watch.differences
        facts.hostile = try await hostile.ranAs().map { "code of a view ran as \($0)" } + unspoken
        var report = SteeringReport(
            options: options, facts: facts, breaches: SteeringChecker.breaches(in: facts),
            actions: await owner.actions.merging(hostile.actions) { $0 + $1 },
            injections: await injector.done.map(\.kind))
        report.directory = testBed.directory
        report.looks = watch.looks
        report.restSeconds = rested
        report.troubles =
            await injector.failures + testBed.fleet.surprises + owner.faults.sorted()
            + hostile.faults.sorted()
        return report
    }

    /// Until it is cancelled: a look each second at one of the newest runs.
    private func watch(
        _ testBed: TestBed, _ owner: OwnerTraffic, _ injector: FaultInjector, since start: ContinuousClock.Instant
    ) async throws -> SteeringWatch {
        var (watch, random) = (SteeringWatch(database: testBed.database), SeededRandom(seed: options.seed &+ 2))
        while !Task.isCancelled {
            let (runs, count) = (await owner.runs, testBed.emulator.count())
            if let run = runs.suffix(3).randomElement(using: &random) { try await watch.look(at: run) }
            progress(
                "\(Int(start.duration(to: .now) / .seconds(1))) s: \(await injector.done.count) faults, \(runs.count) runs, \(count.taken) sends taken"
            )
            try await testBed.fleet.look()
            // Ends early only by cancellation, which ends the loop.
            try? await Task.sleep(for: .seconds(1))
        }
        return watch
    }

    /// Until every run is over and counted, at most three minutes: what is then open is stuck.
    ///
    /// - Returns: seconds it took.
    private func rest(_ testBed: TestBed) async throws -> Double {
        let began = ContinuousClock.now
        while began.duration(to: .now) < .seconds(180) {
            // A database that is not back yet is asked again.
            let open = try? await testBed.database.query(
                """
                SELECT (SELECT count(*) FROM push.run WHERE closed_at IS NULL) + (SELECT count(*) FROM push.claim)
                     + (SELECT count(*) FROM push.due)
                """
            ) { rows in try rows.first { row in try row.int64() } ?? 0 }
            if open == 0 { break }
            try await Task.sleep(for: .milliseconds(200))
        }
        return began.duration(to: .now) / .seconds(1)
    }
}
