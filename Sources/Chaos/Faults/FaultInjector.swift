import Foundation
import HubEmulator
import Postgres

/// Carries out a schedule, and remembers what was done and how long it took to get well.
actor FaultInjector {
    let testBed: TestBed
    private let recent: @Sendable () async -> [Int64]
    private var busy: Set<InjectedFault.Kind.Ground> = []
    private(set) var done: [Done] = []
    /// When workers stood still, seconds since 1970.
    var pauses: [ClosedRange<Double>] = []
    /// Seconds from a kill to the moment nothing of that worker was left to rescue.
    var rescues: [Double] = []
    /// Messages that killed workers held.
    var held: Int64 = 0
    /// When a lagging standby lost commits, seconds since 1970.
    private(set) var losses: [ClosedRange<Double>] = []
    /// When the server's clock was off: then the times of its rows say nothing.
    private(set) var clockSteps: [ClosedRange<Double>] = []
    /// Rows of push.message that were deleted.
    private(set) var deleted: [Facts.Forgotten] = []
    var failures: [String] = []
    /// When connections of many requests ended without a word, seconds since 1970.
    private(set) var cuts: [ClosedRange<Double>] = []
    /// What was set at the emulator, by its numbers.
    private(set) var faults: [Int: Fault] = [:]

    struct Done: Sendable {
        var kind: InjectedFault.Kind
        /// Seconds since 1970.
        var began: Double
        var ended: Double
    }

    /// - Parameter recent: ids of messages that were enqueued lately.
    init(testBed: TestBed, recent: @escaping @Sendable () async -> [Int64]) {
        self.testBed = testBed
        self.recent = recent
    }

    /// Returns when the last fault is over.
    func carryOut(_ schedule: FaultPlan, since start: ContinuousClock.Instant) async {
        await withTaskGroup { group in
            for injection in schedule.injections {
                // Not cancelled: a run that is broken off ends the process.
                try? await Task.sleep(until: start + .seconds(injection.at))
                group.addTask { await self.carryOut(injection) }
            }
        }
    }

    /// Returns when it is over: for a killed worker, when nothing that it held is left to rescue.
    func carryOut(_ injection: InjectedFault) async {
        let ground = injection.kind.ground
        if let ground, !busy.insert(ground).inserted { return }
        defer { if let ground { busy.remove(ground) } }
        let began = Date().timeIntervalSince1970
        do {
            guard try await inject(injection) else { return }
        } catch {
            // A session that ends all sessions may get the error that it was ended itself.
            guard injection.kind == .killSessions else {
                return failures.append("\(injection.kind.rawValue): \(error)")
            }
        }
        done.append(Done(kind: injection.kind, began: began, ended: Date().timeIntervalSince1970))
    }

    /// - Returns: false: it could not be done now.
    private func inject(_ injection: InjectedFault) async throws -> Bool {
        switch injection.kind {
        case .killWorker, .pauseWorker, .pauseBriefly, .stopWorker, .reloadWorker, .workerClock:
            return try await injectIntoWorker(injection)
        case .stopDatabaseAtOnce: try await testBed.cluster.restart("immediate")
        case .stopDatabase: try await testBed.cluster.restart("fast")
        case .killSessions:
            try await testBed.database.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'fanfare' AND pid <> pg_backend_pid()"
            )
        case .failOver:
            if let lost = try await testBed.cluster.failOver(lag: injection.lasts) { losses.append(lost) }
        case .serverClock: try await stepServerClock(injection)
        case .deleteRows: try await deleteRows(injection)
        case .switchLocalization:
            // As an operator does with a backlog.
            try await testBed.settings.change { $0.localization = "tags" }
            try await Task.sleep(for: .seconds(injection.lasts))
            try await testBed.settings.change { $0.localization = "properties" }
        case .refusedConnection: try await moveHubs(to: .refusing, injection)
        case .unknownHost: try await moveHubs(to: .unknown, injection)
        case .withoutTLS: try await moveHubs(to: .withoutTLS, injection)
        case .newerSchema: return try await migrateFurther(injection)
        case .clockStep: try testBed.emulator.advance(by: 30)
        case .rotateByPerson:
            let hub = [TestHub.news, .shop, .ios][Int(injection.seed % 3)]
            try await insist("SELECT push.rotate_hub(\(hub.rawValue))")
        case .cutBeforeBody, .cutAfterBody, .cutAfterTaking, .cutAnswer, .throttle, .serverError, .gatewayTimeout,
            .tokenEndpoint, .hang, .skew, .rotateKeys, .refuse, .goAway, .resetStream, .lowerStreams, .swallow,
            .endToken:
            try await injectIntoHub(injection)
        }
        return true
    }

    private func injectIntoHub(_ injection: InjectedFault) async throws {
        let fault = Fault(injection)
        let began = Date().timeIntervalSince1970
        let number = try testBed.emulator.add(fault)
        faults[number] = fault
        try await Task.sleep(for: .seconds(injection.lasts))
        _ = testBed.emulator.removeFault(number)
        if injection.kind.cutsConnections {
            // Neighbours may have been on their way for as long as an answer takes.
            cuts.append(began - 10...Date().timeIntervalSince1970 + 5 + injection.kind.aftermath)
        }
        // Every key was refused: the hub is held, and the operator who corrects the clock or the account resumes it.
        if injection.kind == .skew || injection.kind == .tokenEndpoint { try await resumeHubs() }
    }

    /// A mistake in the settings, and its correction.
    private func moveHubs(to address: WorkerConfig.Address, _ injection: InjectedFault) async throws {
        let movesTokens = injection.seed.isMultiple(of: 3)
        try await testBed.settings.change { ($0.address, $0.movesTokens) = (address, movesTokens) }
        try await Task.sleep(for: .seconds(injection.lasts))
        try await testBed.settings.change { $0.address = .right }
    }

    func resumeHubs() async throws { try await insist("SELECT push.resume_hub(name) FROM push.hub") }

    /// Less than a minute: with more, a worker would refuse to begin meanwhile.
    private func stepServerClock(_ injection: InjectedFault) async throws {
        guard let clock = testBed.serverClock else { return }
        let began = Date().timeIntervalSince1970
        let seconds = 5 + Double(injection.seed % 35)
        try clock.set(injection.seed.isMultiple(of: 2) ? seconds : -seconds)
        try await Task.sleep(for: .seconds(injection.lasts + 1))
        try clock.set(0)
        try await Task.sleep(for: .seconds(1.5))  // until every session has noticed
        clockSteps.append(began...Date().timeIntervalSince1970)
    }

    /// As an owner of the tables does who knows how to bypass the trigger.
    private func deleteRows(_ injection: InjectedFault) async throws {
        let ids = Array(await recent().suffix(40).shuffled().prefix(Int(1 + injection.seed % 3)))
        // Known before: a commit whose answer is lost may have deleted them, too.
        let known = try await Facts.Forgotten.read(ids, from: testBed.database)
        deleted += known
        let doomed = known.map(\.id)
        do {
            try await testBed.database.withTransaction { connection in
                try await connection.execute("SET LOCAL session_replication_role = replica")
                try await connection.execute("DELETE FROM push.message WHERE id = ANY (\(doomed))")
            }
        } catch let error as DatabaseError where error.isTransient {
            return  // the server is away; they may be deleted or not
        }
    }

    /// The next release migrates while this one works: it goes on, and begins again beside the newer schema.
    private func migrateFurther(_ injection: InjectedFault) async throws -> Bool {
        try await insist(
            """
            INSERT INTO push.release (release, works_from)
            SELECT max(release) + 1, max(works_from) FROM push.release
            """)
        let id = try await testBed.fleet.take(injection.worker) { worker, _ in
            worker.signal(SIGTERM)
            _ = await worker.ended
            return true
        }
        return id != nil
    }

    /// Retries like a person, for at most a minute: the database may be away, or no worker runs.
    private func insist(_ sql: SQL) async throws {
        let began = ContinuousClock.now
        while true {
            do {
                try await testBed.database.execute(sql)
                return
            } catch {
                guard began.duration(to: .now) < .seconds(60) else { throw error }
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    /// The hub refuses some messages whenever they come (`MessageGenerator`).
    func refuseForEver() throws {
        for status in Fault.refusals {
            var fault = Fault(.every(1), status: status)
            fault.tag = MessageGenerator.refusedTag(status)
            _ = try testBed.emulator.add(fault)
        }
    }

    /// Nothing is broken any more.
    func stop() async {
        testBed.emulator.clearFaults()
    }
}
