import Concurrency
import Files
import Glibc
import Postgres
import Synchronization

/// Owns the process of a private server, from a thread that starts it and then waits for its end. If that thread ends
/// first, which happens only when our process dies, the system sends the server SIGINT.
final class PostgresProcess: Sendable {
    private struct State: Sendable {
        /// Until its end is noticed.
        var server: ChildProcess?
        /// Its process is ended, or about to be, and may be started again.
        var isHalted = false
        var onHalted = WaiterQueue<Void, Void>()
        /// The caller of `startAgain`.
        var restart: CheckedContinuation<Result<Void, TemporaryServerError>, Never>?
        var isEnding = false
        /// The process has ended and the directory is removed.
        var isOver = false
        var onOver = WaiterQueue<Void, Void>()
    }

    let directory: DataDirectory
    private let options: TemporaryServer.Options
    private let state = ConditionMutex(State())

    private init(_ directory: DataDirectory, _ options: TemporaryServer.Options) {
        self.directory = directory
        self.options = options
    }

    /// - Parameter primary: how to connect to the server whose standby it becomes; nil: a cluster of its own.
    static func start(
        _ options: TemporaryServer.Options, standbyOf primary: String? = nil
    ) async throws(TemporaryServerError) -> PostgresProcess {
        let started: Result<PostgresProcess, TemporaryServerError> = await withCheckedContinuation { continuation in
            do throws(SystemThreadError) {
                try SystemThread(named: "fanfare-server") {
                    live(options, primary) { continuation.resume(returning: $0) }
                }
            } catch {
                continuation.resume(
                    returning: .failure(.system("start a thread for a private PostgreSQL", error.code)))
            }
        }
        return try started.get()
    }

    /// Ends the server for good, running or halted: SIGINT for a fast shutdown, SIGQUIT for an immediate one.
    func end(_ signal: Int32) {
        state.change { state in
            state.isEnding = true
            if let server = state.server { kill(server.id, signal) }
        }
    }

    /// Ends the server's process and keeps its data. Returns when it has ended; at once if it does not run.
    func halt(_ signal: Int32) async {
        await WaiterQueue.wait { waiter in
            state.change { state in
                guard !state.isEnding, let server = state.server else { return () }
                state.isHalted = true
                state.onHalted.append(waiter)
                kill(server.id, signal)
                return nil
            }
        }
    }

    /// Starts a halted server. Does nothing while it runs.
    func startAgain() async throws(TemporaryServerError) {
        let started = await withCheckedContinuation { continuation in
            let isRunning = state.change { state in
                guard state.isHalted, state.server == nil, state.restart == nil, !state.isEnding else { return true }
                state.restart = continuation
                return false
            }
            if isRunning { continuation.resume(returning: .success(())) }
        }
        try started.get()
    }

    /// Stops the server: fast, and after ten seconds immediately.
    func stop() async {
        end(SIGINT)
        let deadline = Task {
            try await Task.sleep(for: .seconds(10))
            end(SIGQUIT)
        }
        await WaiterQueue.wait { waiter in
            state.change { state in
                if state.isOver { return () }
                state.onOver.append(waiter)
                return nil
            }
        }
        deadline.cancel()
    }

    /// The whole life of a server, on its thread.
    private static func live(
        _ options: TemporaryServer.Options, _ primary: String?,
        _ report: (Result<PostgresProcess, TemporaryServerError>) -> Void
    ) {
        do throws(TemporaryServerError) {
            let process = PostgresProcess(try DataDirectory(under: options.base), options)
            do throws(TemporaryServerError) {
                try process.makeData(copiedFrom: primary)
                try process.launch()
                AtExit.remember(process)
                report(.success(process))
                process.attend()
            } catch {
                process.leave()
                throw error
            }
            process.leave()
        } catch {
            report(.failure(error))
        }
    }

    /// Waits until the server has ended for good. A halted one may be started again.
    private func attend() {
        while true {
            state.wait { $0.server }.waitForEnd()
            let halted = state.change { state -> [WaiterQueue<Void, Void>.Waiter]? in
                guard state.isHalted else { return nil }
                state.server?.reap()
                state.server = nil
                return state.onHalted.popAll()
            }
            guard let halted else { return }
            for waiter in halted { waiter.resume(returning: ()) }
            guard waitForRestart() else { return }
        }
    }

    /// - Returns: whether the server runs again; false: it has to end.
    private func waitForRestart() -> Bool {
        while true {
            let caller = state.wait { state -> CheckedContinuation<Result<Void, TemporaryServerError>, Never>?? in
                if let caller = state.restart {
                    state.restart = nil
                    return .some(caller)
                }
                return state.isEnding ? .some(nil) : nil
            }
            guard let caller else { return false }
            do throws(TemporaryServerError) {
                try launch()
                state.change { $0.isHalted = false }
                caller.resume(returning: .success(()))
                return true
            } catch {
                state.change { state in
                    state.server?.reap()
                    state.server = nil
                }
                caller.resume(returning: .failure(error))
            }
        }
    }

    private var data: String { "\(directory.path)/data" }
    private var log: String { "\(directory.path)/log" }

    private func makeData(copiedFrom primary: String?) throws(TemporaryServerError) {
        let programs = try PostgresBinaries(scratch: directory.path)
        let command =
            if let primary {
                [
                    programs.path("pg_basebackup"), "-D", data, "-d", primary + " application_name=standby",
                    "--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf", "--no-sync",
                ]
            } else {
                [
                    programs.path("initdb"), "-D", data, "--no-sync", "-A", "trust", "-U", "postgres",
                    "--locale=C.UTF-8", "--encoding=UTF8",
                ]
            }
        guard try ChildProcess(command, output: log, environment: options.environment).reap() == 0 else {
            throw refusal(primary == nil ? "make a database cluster" : "copy a database cluster", log)
        }
    }

    private func launch() throws(TemporaryServerError) {
        let programs = try PostgresBinaries(scratch: directory.path)
        var settings = [
            "listen_addresses": "", "unix_socket_directories": directory.path, "port": "5432",
            "shared_buffers": options.sharedBuffers, "dynamic_shared_memory_type": "mmap",
            "fsync": options.fsync ? "on" : "off", "full_page_writes": options.fsync ? "on" : "off",
        ]
        settings.merge(options.settings) { _, given in given }
        let arguments = settings.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let server = try ChildProcess(
                [programs.path("postgres"), "-D", data] + arguments, output: log, environment: options.environment,
                diesWithThread: true)
            state.change { $0.server = server }
            if try awaitReadiness(of: server, log, until: deadline) { return }
            // The backends of a killed server live a moment longer than it, and no other server starts beside them.
            guard BoundedFile.tail(of: log).suffix(1_000).contains("is still in use"), ContinuousClock.now < deadline
            else {
                throw refusal("start a private PostgreSQL", log)
            }
            state.change { state in
                state.server?.reap()
                state.server = nil
            }
            usleep(20_000)
        }
    }

    /// Polls until the server accepts connections.
    ///
    /// - Returns: false when it ended instead.
    private func awaitReadiness(
        of server: ChildProcess, _ log: String, until deadline: ContinuousClock.Instant
    ) throws(TemporaryServerError) -> Bool {
        let conninfo = Self.conninfo(directory.path, database: "postgres")
        while !LibPQ.isReady(conninfo) {
            if server.hasEnded { return false }
            guard ContinuousClock.now < deadline else { throw refusal("start a private PostgreSQL", log) }
            usleep(5_000)
        }
        return true
    }

    private func refusal(_ doing: String, _ log: String) -> TemporaryServerError {
        TemporaryServerError(
            doing: doing,
            message: String(BoundedFile.tail(of: log).suffix(1_000)).split(whereSeparator: \.isWhitespace).joined(
                separator: " "))
    }

    /// Ends a server that still runs, reaps it and removes the directory.
    private func leave() {
        end(SIGQUIT)
        state.change { $0.server }?.waitForEnd()
        state.change { state in
            state.server?.reap()
            state.server = nil  // its process number may be given to another process now
        }
        directory.remove()
        AtExit.forget(self)
        let waiting = state.change { state in
            state.isOver = true
            return state.onOver.popAll() + state.onHalted.popAll()
        }
        for waiter in waiting { waiter.resume(returning: ()) }
    }

    static func conninfo(_ directory: String, database: String) -> String {
        let (directory, database) = (DatabaseSettings.quoted(directory), DatabaseSettings.quoted(database))
        // An empty value keeps libpq from looking into the environment.
        return "host=\(directory) hostaddr='' port=5432 dbname=\(database) user=postgres password='' "
            + "options='' sslmode=disable gssencmode=disable target_session_attrs=any"
    }

    /// The servers that still run when our process exits.
    private enum AtExit {
        private static let running = Mutex<[ObjectIdentifier: PostgresProcess]>([:])
        private static let registered: Int32 = atexit {
            for process in AtExit.running.withLock({ Array($0.values) }) {
                process.end(SIGQUIT)
                process.state.wait { $0.isOver ? () : nil }
            }
        }

        static func remember(_ process: PostgresProcess) {
            _ = registered
            running.withLock { $0[ObjectIdentifier(process)] = process }
        }

        static func forget(_ process: PostgresProcess) {
            running.withLock { $0[ObjectIdentifier(process)] = nil }
        }
    }
}
