import Foundation
import Postgres

/// One run from an empty directory to a report.
public struct ChaosRun: Sendable {
    public struct Options: Sendable {
        public var seed: UInt64
        /// During which faults begin.
        public var seconds = 60.0
        public var workers = 3
        /// Contents a second.
        public var rate = 40.0
        /// Transactions a second that change devices, of each of two backends.
        public var deviceRate = 10.0
        public var isAsynchronous = false
        /// Whether an application that may only enqueue tries to do harm, and logins lock all that they may. Default true.
        public var hasStrangers = true
        public var kinds = InjectedFault.Kind.allCases
        /// Default nil: the protocol as it is.
        public var sabotage: ProtocolMutation?
        /// Leave logs and data behind when a promise was broken.
        public var keep = false

        public init(seed: UInt64) { self.seed = seed }
    }

    let options: Options
    /// Gets a line about once a second.
    let progress: @Sendable (String) -> Void

    public init(_ options: Options, progress: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.progress = progress
    }

    /// - Parameter worker: the path of the program `fanfare`.
    /// - Throws: when the run could not be made; what it found is in the report.
    public func run(worker: String) async throws -> Report {
        return try await TestBed.with(options, worker: worker, isGood: \.isGood) { try await torment($0) }
    }

    private func torment(_ testBed: TestBed) async throws -> Report {
        try await options.sabotage?.apply(to: testBed.database)
        try await testBed.fleet.start()
        try await testBed.waitForHubs()
        let schedule = FaultPlan(
            seed: options.seed, seconds: options.seconds, workers: options.workers, leaseSeconds: TestBed.leaseSeconds,
            kinds: options.kinds)
        let backend = Backend(database: testBed.database, seed: options.seed &+ 1)
        let people = OperatorTraffic(database: testBed.database, backend: backend, seed: options.seed &+ 2)
        let strangers = HostileTraffic(database: testBed.stranger, seed: options.seed &+ 3)
        let lockers = LockTraffic(testBed: testBed, seed: options.seed &+ 6)
        let registrars = (4...5).map {
            DeviceTraffic(database: testBed.registrar, seed: options.seed &+ $0)
        }
        let injector = FaultInjector(testBed: testBed) { await backend.confirmed.suffix(80).map(\.id) }
        if options.kinds.contains(.refuse) { try await injector.refuseForEver() }
        let start = ContinuousClock.now
        let writing = Task { await backend.write(rate: options.rate) }
        let working = Task { await people.work() }
        let attacking = Task { if options.hasStrangers { await strangers.work() } }
        let locking = Task { if options.hasStrangers { await lockers.work() } }
        let registering = registrars.map { registrar in
            Task { await registrar.work(rate: options.deviceRate) }
        }
        let telling = Task {
            while !Task.isCancelled {
                let seconds = Int(start.duration(to: .now) / .seconds(1))
                let count = testBed.emulator.count()
                let (injections, messages) = (await injector.done.count, await backend.confirmed.count)
                progress(
                    "\(seconds) s: \(injections) faults, \(messages) messages, \(count.taken + count.refused) sends, \(count.taken) taken"
                )
                try await testBed.fleet.look()
                try await Task.sleep(for: .seconds(1))
            }
        }
        await injector.carryOut(schedule, since: start)
        await injector.stop()
        for task in [writing, working, attacking, locking] + registering { task.cancel() }
        for task in [writing, working, attacking, locking] + registering { await task.value }
        let rested = try await rest(testBed)
        progress("urgent messages beside bulk posts of \(UrgentTraffic.bulkSeconds) s")
        let beside = try await UrgentTraffic(testBed: testBed, workers: options.workers).behindBulk()
        _ = try await rest(testBed)
        telling.cancel()
        _ = await telling.result  // a look that was cut short
        await testBed.fleet.stop()

        progress("reading what happened")
        let deleted = await injector.deleted
        var facts = try await EvidenceReader(
            database: testBed.database, emulator: testBed.emulator, emulatorBegan: testBed.emulatorBegan,
            forgotten: deleted + people.doomed, faults: injector.faults
        ).facts()
        facts.confirmed = await backend.confirmed + strangers.confirmed + beside.bulk + beside.urgent
        facts.urgent = beside.urgent
        facts.cancelled = await people.cancelled
        facts.deleted = deleted
        facts.erased = await people.erased
        facts.pauses = await injector.pauses
        facts.cuts = await injector.cuts
        facts.losses = await injector.losses
        facts.clockSteps = await injector.clockSteps
        for registrar in registrars {
            facts.confirmedChanges += await registrar.confirmed
            facts.undoneChanges += await registrar.undone
            facts.deviceMoments.merge(await registrar.moments) { $0 + $1 }
        }
        var report = Report(options: options, facts: facts, violations: Checker.violations(in: facts))
        report.directory = testBed.directory
        report.restSeconds = rested
        for hub in TestHub.allCases where hub.kind == .fcm {
            report.accessTokens += testBed.emulator.accessTokens(of: hub.rawValue)
        }
        report.unconfirmed = await backend.unconfirmed
        report.actions = await people.actions.merging(strangers.actions) { $0 + $1 }
        report.actions.merge(await lockers.actions) { $0 + $1 }
        for registrar in registrars { report.actions.merge(await registrar.actions) { $0 + $1 } }
        report.rescues = await injector.rescues
        report.troubles =
            await injector.failures + testBed.fleet.surprises + backend.faults.sorted() + strangers.successes.sorted()
            + lockers.faults.sorted()
        for registrar in registrars { report.troubles += await registrar.faults.sorted() }
        report.note(await injector.done, in: facts)
        return report
    }

    /// Until nothing is held and nothing is due, at most three minutes: what is then not at rest is stuck.
    ///
    /// - Returns: seconds it took.
    private func rest(_ testBed: TestBed) async throws -> Double {
        let began = ContinuousClock.now
        var quiet = 0
        // What a person paused, and what a hub with a wrong clock was held for.
        try await testBed.database.execute("SELECT push.resume_hub(name) FROM push.hub")
        while began.duration(to: .now) < .seconds(180), quiet < 3 {
            // A database that is not back yet is asked again.
            let busy = try? await testBed.database.query(
                """
                SELECT (SELECT count(*) FROM push.claim)
                     + (SELECT count(*) FROM push.due WHERE due_at < now() + interval '1 minute')
                     + (SELECT count(*) FROM push.installation_claim) + (SELECT count(*) FROM push.installation_due)
                """
            ) { rows in try rows.first { row in try row.int64() } ?? 0 }
            quiet = busy == 0 ? quiet + 1 : 0
            try await Task.sleep(for: .milliseconds(200))
        }
        return began.duration(to: .now) / .seconds(1)
    }
}
