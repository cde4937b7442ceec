import Foundation
import Postgres
import PostgresServer

/// Two private PostgreSQL servers, a primary and its standby, that are stopped, restarted and swapped.
///
/// They are reached over Unix sockets in one directory, by one conninfo with two hosts. `fsync` is off: processes are
/// killed here, the machine is not.
actor Cluster {
    nonisolated let directory: String
    /// Whether a commit waits for the standby. What an asynchronous one had not received is gone after a fail-over.
    private let isSynchronous: Bool
    private let programs: PostgresBinaries
    /// Of both servers; nil: the machine's.
    private let clock: FakeClock?
    /// The data directory of the primary: 0 or 1.
    private var primary = 0
    private(set) var hasStandby = false

    init(directory: String, isSynchronous: Bool, clock: FakeClock? = nil) throws {
        self.directory = directory
        self.isSynchronous = isSynchronous
        self.clock = clock
        programs = try PostgresBinaries(scratch: directory)
    }

    nonisolated func conninfo(database: String, user: String = "postgres") -> String {
        "host=\(directory),\(directory) port=5432,5433 dbname=\(database) user=\(user) target_session_attrs=read-write"
            + " connect_timeout=5 gssencmode=disable"
    }

    func start(withStandby: Bool) async throws {
        try await run(
            "initdb", "-D", data(0), "--no-sync", "-A", "trust", "-U", "postgres", "--locale=C.UTF-8", "--encoding=UTF8"
        )
        try await startServer(0)
        if withStandby { try await addStandby() }
    }

    /// - Parameter mode: `fast` or `immediate`, as for pg_ctl.
    func restart(_ mode: String) async throws {
        try await control(primary, "stop", "-m", mode)
        try await startServer(primary)
    }

    /// The primary dies, the standby takes over, and a new standby is made of it.
    ///
    /// - Parameter lag: seconds before that in which an asynchronous standby receives nothing.
    /// - Returns: when commits were lost, in seconds since 1970; nil: never, the standby is synchronous.
    @discardableResult
    func failOver(lag: Double) async throws -> ClosedRange<Double>? {
        var stopped: Double?
        if !isSynchronous {
            stopped = Date().timeIntervalSince1970
            try await change(1 - primary, "ALTER SYSTEM SET primary_conninfo = ''")
            try await Task.sleep(for: .seconds(lag))
        }
        try await control(primary, "stop", "-m", "immediate")
        primary = 1 - primary
        hasStandby = false
        try await control(primary, "promote", "-w", "-t", "60")
        let replaced = Date().timeIntervalSince1970
        try await waitForStandby(false)
        try await addStandby()
        return stopped.map { $0...replaced }
    }

    /// Changes a setting of one server that needs no restart.
    private func change(_ number: Int, _ sql: SQL) async throws {
        let database = database(number)
        defer { Task { await database.close() } }
        try await database.execute(sql)
        try await database.execute("SELECT pg_reload_conf()")
    }

    private func database(_ number: Int) -> Database {
        Database(
            DatabaseSettings(
                url: "host=\(directory) port=\(port(number)) dbname=postgres user=postgres", prepare: .never,
                maximumConnections: 1))
    }

    private func addStandby() async throws {
        let other = 1 - primary
        try? FileManager.default.removeItem(atPath: data(other))  // missing at first
        try await run(
            "pg_basebackup", "-h", directory, "-p", "\(port(primary))", "-U", "postgres", "-D", data(other), "-R", "-X",
            "stream", "-c", "fast", "--no-sync")
        try await startServer(other)
        try await waitForStandby(true)
        hasStandby = true
    }

    /// Sets whether commits wait, and returns when the standby is there.
    private func waitForStandby(_ wanted: Bool) async throws {
        let names = wanted && isSynchronous ? "*" : ""
        try await change(primary, "ALTER SYSTEM SET synchronous_standby_names = \(raw: "'\(names)'")")
        guard wanted else { return }
        let database = database(primary)
        defer { Task { await database.close() } }
        let states = isSynchronous ? "('sync', 'quorum')" : "('async')"
        for _ in 0..<600 {
            let count = try await database.query(
                "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN \(raw: states)"
            ) { rows in try rows.first { row in try row.int64() } ?? 0 }
            if count > 0 { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ChaosError("the standby did not begin to follow within a minute; see \(directory)/log-\(1 - primary)")
    }

    private func startServer(_ number: Int) async throws {
        let options = [
            "listen_addresses=", "unix_socket_directories=\(directory)", "port=\(port(number))", "fsync=off",
            "full_page_writes=off", "shared_buffers=64MB", "max_connections=200", "max_prepared_transactions=10",
            "wal_keep_size=512MB",
            "dynamic_shared_memory_type=mmap",
        ]
        // Not by pg_ctl: a server that has left its starter would keep it from being seen to end.
        let command = [programs.path("postgres"), "-D", data(number)] + options.flatMap { ["-c", $0] }
        let server = try ChildProgram(
            Self.unprivileged + (clock?.command(command) ?? command), log: "\(directory)/log-\(number)")
        for _ in 0..<600 {
            let isReady = try ChildProgram(
                [programs.path("pg_isready"), "-q", "-h", directory, "-p", "\(port(number))"], log: "/dev/null")
            if await isReady.ended == 0 { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw ChaosError("process \(server.id) does not take connections; see \(directory)/log-\(number)")
    }

    private func control(_ number: Int, _ arguments: String...) async throws {
        try await run("pg_ctl", arguments + ["-D", data(number)])
    }

    private func run(_ program: String, _ arguments: String...) async throws { try await run(program, arguments) }

    private func run(_ program: String, _ arguments: [String]) async throws {
        try await ChildProgram.run(
            Self.unprivileged + [programs.path(program)] + arguments, log: "\(directory)/\(program).log")
    }

    private nonisolated func data(_ number: Int) -> String { "\(directory)/data-\(number)" }
    private func port(_ number: Int) -> Int { 5_432 + number }

    /// PostgreSQL does not run as root.
    static var unprivileged: [String] {
        geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"] : []
    }

    /// A shell line that ends both servers in any state.
    nonisolated func ending() -> String {
        (0...1).map { number in
            let stop = [programs.path("pg_ctl"), "-D", data(number), "-m", "immediate", "stop"]
            return (Self.unprivileged + stop).joined(separator: " ") + " >/dev/null 2>&1"
        }.joined(separator: "; ")
    }
}
