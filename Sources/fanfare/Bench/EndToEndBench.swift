import CommandLineTool
import Daemon
import PushWorker
import Logging
import Postgres

/// A real worker between the database and the hub in this process.
struct EndToEndBench: Sendable {
    let site: BenchEnvironment
    let enqueuing: BenchEnqueuing

    /// Seconds without progress after which it is given up.
    private static let patience = 60.0
    /// How the threads of the emulated hub are named: nothing else in this process uses NIO.
    private static let hubThreads = "NIO-"

    /// From the end of an INSERT to the request at the hub; one message at a time, at moments that have nothing to do with
    /// the worker's own rhythm.
    func idle() async throws -> Samples {
        let worker = try await start()
        let outcome: Result<Samples, any Error>
        do {
            var seconds: [Double] = []
            // The first ones open connections.
            for n in 0..<site.plan.followed + 5 {
                let taken = try await follow(n)
                if n >= 5 { seconds.append(taken) }
                try await Task.sleep(for: .milliseconds(Int.random(in: 5...25)))
            }
            outcome = .success(Samples(seconds))
        } catch {
            outcome = .failure(error)
        }
        _ = try await worker.stop()
        return try outcome.get()
    }

    private func follow(_ n: Int) async throws -> Double {
        let before = site.sink.count
        try await enqueuing.insert(n)
        let enqueued = Clock.system.wall()
        let until = Clock.system.monotonic() + Self.patience
        while Clock.system.monotonic() < until {
            if let at = site.sink.arrival(after: before) { return max(0, at - enqueued) }
            try await Task.sleep(for: .microseconds(200))
        }
        throw Self.standsStill("a message was enqueued and the hub has not seen it")
    }

    /// Sends what is enqueued, one message a post.
    func run() async throws -> BenchResults.Whole {
        let count = site.plan.messages
        let before = try await commits()
        let worker = try await start()
        let cpu = CPUUse.now(without: Self.hubThreads)
        let began = Clock.system.monotonic()
        var (done, changed) = (0, began)
        while done < count {
            try await Task.sleep(for: .milliseconds(5))
            let now = await worker.progress.done.messages
            if now != done { (done, changed) = (now, Clock.system.monotonic()) }
            guard Clock.system.monotonic() - changed < Self.patience else {
                _ = try await worker.stop()
                throw Self.standsStill("\(done) of \(count) messages have a result")
            }
        }
        let seconds = Clock.system.monotonic() - began
        let used = CPUUse.now(without: Self.hubThreads)
        let summary = try await worker.stop()
        guard summary.accepted == count, summary.clean else {
            throw Failure(
                "the bench is not valid", because: "of \(count) messages the hub accepted \(summary.accepted)",
                status: .internalFault)
        }
        let after = try await commits()
        return BenchResults.Whole(
            rate: Double(count) / seconds, posts: summary.posts,
            cpuPerMessage: used.seconds(since: cpu) / Double(count), busy: used.busy(since: cpu),
            answers: try await answers(),
            transactionsPerMessage: before.flatMap { before in after.map { Double($0 - before) / Double(count) } })
    }

    private func start() async throws -> EmbeddedWorker {
        try await EmbeddedWorker.start(site.settings, log: Logger(label: "fanfare.worker"))
    }

    /// Of the last posts, as the worker wrote it down.
    private func answers() async throws -> Samples {
        try await site.database.query(
            "SELECT milliseconds FROM push.answers ORDER BY post DESC LIMIT \(Int32(site.plan.messages))",
            doing: "read the answers"
        ) { rows in
            Samples(try rows.map { row in Double(try row.int32()) / 1e3 })
        }
    }

    /// Transactions of this database that were committed, once every session of the worker has reported its own.
    ///
    /// - Returns: nil when some of them are still there after two seconds.
    private func commits() async throws -> Int64? {
        let until = Clock.system.monotonic() + 2
        while Clock.system.monotonic() < until {
            let sessions = try await number(
                """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                   AND application_name <> 'fanfare bench' AND backend_type = 'client backend'
                """)
            if sessions == 0 {
                return try await number("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return nil
    }

    private func number(_ sql: SQL) async throws -> Int64 {
        try await site.database.query(sql, doing: "count transactions") { rows in
            try rows.map { row in try row.int64() }.first ?? 0
        }
    }

    private static func standsStill(_ why: String) -> Failure {
        Failure(
            "the bench stands still", because: "\(why), for a minute",
            hint: "Run it again with --log-level debug, and report it with the log.", status: .internalFault)
    }
}
