import Foundation
import HubEmulator
import Postgres

/// Carries out a schedule, and remembers what was done and how long it took to get well.
actor FaultInjector {
    private let testBed: TestBed
    private var isDatabaseBusy = false
    private(set) var done: [Done] = []
    /// When workers stood still, seconds since 1970.
    private(set) var pauses: [ClosedRange<Double>] = []
    /// Seconds from a kill to the moment nothing of that worker was left to rescue.
    private(set) var rescues: [Double] = []
    private(set) var failures: [String] = []

    struct Done: Sendable {
        var kind: InjectedFault.Kind
        /// Seconds since 1970.
        var began: Double
        var ended: Double
    }

    init(testBed: TestBed) { self.testBed = testBed }

    /// Returns when the last fault is over.
    func carryOut(_ schedule: Schedule, since start: ContinuousClock.Instant) async {
        await withTaskGroup { group in
            for injection in schedule.injections {
                // Not cancelled: a run that is broken off ends the process.
                try? await Task.sleep(until: start + .seconds(injection.at))
                group.addTask { await self.carryOut(injection) }
            }
        }
    }

    private func carryOut(_ injection: InjectedFault) async {
        if injection.kind.isAboutDatabase {
            if isDatabaseBusy { return }
            isDatabaseBusy = true
        }
        defer { if injection.kind.isAboutDatabase { isDatabaseBusy = false } }
        let began = Date().timeIntervalSince1970
        do {
            guard try await inject(injection) else { return }
        } catch {
            // A session that ends all sessions may be told that it was ended itself.
            guard injection.kind == .killSessions else {
                return failures.append("\(injection.kind.rawValue): \(error)")
            }
        }
        done.append(Done(kind: injection.kind, began: began, ended: Date().timeIntervalSince1970))
    }

    /// - Returns: false: it could not be done now.
    private func inject(_ injection: InjectedFault) async throws -> Bool {
        switch injection.kind {
        case .killWorker, .pauseWorker, .pauseBriefly, .stopWorker, .reloadWorker:
            return try await injectIntoWorker(injection)
        case .stopDatabaseAtOnce: try await testBed.cluster.restart("immediate")
        case .stopDatabase: try await testBed.cluster.restart("fast")
        case .killSessions:
            try await testBed.database.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'fanfare' AND pid <> pg_backend_pid()"
            )
        case .failOver: try await testBed.cluster.failOver()
        case .clockStep: try testBed.emulator.advance(by: 30)
        case .rotateByPerson: try await insist("SELECT push.rotate_hub('news')")
        case .cutBeforeBody, .cutAfterBody, .cutAfterTaking, .cutAnswer, .throttle, .serverError, .hang, .skew,
            .rotateKeys:
            try await injectIntoHub(injection)
        }
        return true
    }

    private func injectIntoWorker(_ injection: InjectedFault) async throws -> Bool {
        var pause: ClosedRange<Double>?
        let id: pid_t?
        switch injection.kind {
        case .killWorker:
            id = try await testBed.fleet.take(injection.worker) { worker in
                worker.signal(SIGKILL)
                _ = await worker.ended
                return true
            }
            if let id { try await waitForRescue(of: id) }
        case .stopWorker:
            id = try await testBed.fleet.take(injection.worker) { worker in
                worker.signal(SIGTERM)
                _ = await worker.ended
                return true
            }
        case .reloadWorker:
            id = try await testBed.fleet.take(injection.worker) { worker in
                worker.signal(SIGHUP)
                return false
            }
        default:
            let from = Date().timeIntervalSince1970
            id = try await testBed.fleet.take(injection.worker) { worker in
                worker.signal(SIGSTOP)
                try await Task.sleep(for: .seconds(injection.lasts))
                worker.signal(SIGCONT)
                return false
            }
            pause = from...Date().timeIntervalSince1970 + 5
        }
        if id != nil, let pause { pauses.append(pause) }
        return id != nil
    }

    /// Until no claim of the worker stands; at most two minutes.
    private func waitForRescue(of id: pid_t) async throws {
        let began = ContinuousClock.now
        let name = "%/\(id)"
        while began.duration(to: .now) < .seconds(120) {
            // A database that is away, as it may be here, is asked again.
            let left = try? await testBed.database.query(
                "SELECT count(*) FROM push.claim c JOIN push.worker w ON w.id = c.worker WHERE w.name LIKE \(name)"
            ) { rows in try rows.first { row in try row.int64(0) } ?? 0 }
            if left == 0 {
                rescues.append(began.duration(to: .now) / .seconds(1))
                return
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        failures.append("what worker \(id) held when it was killed was not rescued within two minutes")
    }

    private func injectIntoHub(_ injection: InjectedFault) async throws {
        let number = try testBed.emulator.add(Self.fault(injection))
        try await Task.sleep(for: .seconds(injection.lasts))
        _ = testBed.emulator.removeFault(number)
        if injection.kind == .skew {
            // Both keys were refused: the hub is held, and the operator who mends the clock resumes it.
            try await insist("SELECT push.resume_hub(name) FROM push.hub WHERE name IN ('news', 'local')")
        }
    }

    /// Tries again like a person, for at most a minute: the database may be away, or no worker runs.
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

    private static func fault(_ injection: InjectedFault) -> Fault {
        let some = Fault.Moment.probability(0.3, seed: injection.seed)
        var fault: Fault
        switch injection.kind {
        case .cutBeforeBody:
            fault = Fault(some, closing: .beforeBody)
            fault.operations = [.send]  // only its body identifies a direct send
        case .cutAfterBody: fault = Fault(some, closing: .afterBody)
        case .cutAfterTaking:
            fault = Fault(some, closing: .afterBody)
            fault.taken = true
        case .cutAnswer:
            fault = Fault(some, status: 201, closing: injection.seed.isMultiple(of: 2) ? .midAnswer : .afterHead)
            fault.taken = true
        case .throttle:
            fault = Fault(.beyond(rate: 5, burst: 5))
            fault.retryAfter = injection.seed.isMultiple(of: 2) ? .seconds(1) : .date(inSeconds: 2)
        case .serverError: fault = Fault(some, status: 503)
        case .hang:
            fault = Fault(some)
            fault.delayMilliseconds = 500
            fault.delayUpToMilliseconds = 4_000
            fault.seed = injection.seed
        case .skew:
            fault = Fault(.every(1))
            fault.skewSeconds = 7_200
        default:
            fault = Fault(.every(1))
            fault.rotated = .primary
        }
        fault.reset = injection.seed % 3 == 0 && fault.closing != nil
        return fault
    }

    /// Nothing is broken any more.
    func stop() async {
        testBed.emulator.clearFaults()
    }
}
