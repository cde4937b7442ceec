import Foundation

// Faults of one worker.
extension FaultInjector {
    func injectIntoWorker(_ injection: InjectedFault) async throws -> Bool {
        var pause: ClosedRange<Double>?
        let id: pid_t?
        switch injection.kind {
        case .killWorker:
            id = try await testBed.fleet.take(injection.worker) { worker, _ in
                worker.signal(SIGKILL)
                _ = await worker.ended
                return true
            }
            if let id { try await waitForRescue(of: id) }
        case .stopWorker:
            id = try await testBed.fleet.take(injection.worker) { worker, _ in
                worker.signal(SIGTERM)
                _ = await worker.ended
                return true
            }
        case .reloadWorker:
            id = try await testBed.fleet.take(injection.worker) { worker, _ in
                worker.reload()
                return false
            }
        case .workerClock:
            let isAhead = injection.seed.isMultiple(of: 2)
            id = try await testBed.fleet.take(injection.worker) { worker, clock in
                try await self.waitForBeginning(of: worker.id)
                try clock?.set(isAhead ? 86_400 : -86_400)
                try await Task.sleep(for: .seconds(injection.lasts + 1))
                try clock?.set(0)
                try await Task.sleep(for: .seconds(1.5))  // until it has noticed
                return false
            }
            // Its tokens were refused: both keys, and then the hub was held.
            if id != nil { try await resumeHubs() }
        default:
            let from = Date().timeIntervalSince1970
            id = try await testBed.fleet.take(injection.worker) { worker, _ in
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

    /// A worker that begins while its clock is off ends by itself.
    private func waitForBeginning(of id: pid_t) async throws {
        let began = ContinuousClock.now
        let name = "%/\(id)"
        while began.duration(to: .now) < .seconds(30) {
            // A database that does not answer is asked again.
            let rows = try? await testBed.database.query("SELECT count(*) FROM push.worker WHERE name LIKE \(name)") {
                rows in try rows.first { row in try row.int64() } ?? 0
            }
            if let rows, rows > 0 { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ChaosError("worker \(id) did not begin within 30 s")
    }

    /// Until no claim of the worker stands; at most two minutes.
    private func waitForRescue(of id: pid_t) async throws {
        let began = ContinuousClock.now
        let name = "%/\(id)"
        var isFirstLook = true
        while began.duration(to: .now) < .seconds(120) {
            // A database that is away, as it may be here, is asked again.
            let left = try? await testBed.database.query(
                """
                SELECT coalesce(sum(cardinality(c.ids)), 0)::bigint
                  FROM push.claim c JOIN push.worker w ON w.id = c.worker
                 WHERE w.name LIKE \(name)
                """
            ) { rows in try rows.first { row in try row.int64() } ?? 0 }
            if isFirstLook, let left {
                held += left
                isFirstLook = false
            }
            if left == 0 {
                rescues.append(began.duration(to: .now) / .seconds(1))
                return
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        failures.append("what worker \(id) held when it was killed was not rescued within two minutes")
    }
}
