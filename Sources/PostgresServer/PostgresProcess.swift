import Glibc
import Postgres
import Synchronization

/// Owns the process of a private server, from a thread that starts it and then waits for its end. The system sends the
/// server SIGINT should that thread end first, which it only does when our process dies.
final class PostgresProcess: Sendable {
    private struct State: Sendable {
        /// Until its end was noticed.
        var server: ChildProcess?
        /// Stands still, and is to be started again.
        var isHalted = false
        var onHalted: [CheckedContinuation<Void, Never>] = []
        var onStarted: CheckedContinuation<Result<Void, TemporaryServerError>, Never>?
        var isEnding = false
        var isGone = false
        var onGone: [CheckedContinuation<Void, Never>] = []
    }

    let directory: DataDirectory
    private let options: TemporaryServer.Options
    private let state = ConditionMutex(State())

    private init(_ directory: DataDirectory, _ options: TemporaryServer.Options) {
        self.directory = directory
        self.options = options
    }

    /// - Parameter primary: how to connect to the server it becomes a standby of; nil: a cluster of its own.
    static func start(
        _ options: TemporaryServer.Options, standbyOf primary: String? = nil
    ) async throws(TemporaryServerError) -> PostgresProcess {
        let started: Result<PostgresProcess, TemporaryServerError> = await withCheckedContinuation { continuation in
            do throws(DatabaseError) {
                try DetachedThread.start { live(options, primary) { continuation.resume(returning: $0) } }
            } catch {
                let refusal = TemporaryServerError(doing: error.doing, message: error.message)
                continuation.resume(returning: .failure(refusal))
            }
        }
        return try started.get()
    }

    /// Ends the server for good, whether it runs or is halted: SIGINT for a fast shutdown, SIGQUIT for an immediate one.
    func end(_ signal: Int32) {
        state.change { state in
            state.isEnding = true
            if let server = state.server { kill(server.id, signal) }
        }
    }

    /// Ends the server's process and keeps its data. Returns when it has ended; at once if it does not run.
    func halt(_ signal: Int32) async {
        await withCheckedContinuation { continuation in
            let isHalted = state.change { state in
                guard !state.isEnding, let server = state.server else { return true }
                state.isHalted = true
                state.onHalted.append(continuation)
                kill(server.id, signal)
                return false
            }
            if isHalted { continuation.resume() }
        }
    }

    /// Starts what was halted. Does nothing while it runs.
    func startAgain() async throws(TemporaryServerError) {
        let started = await withCheckedContinuation { continuation in
            let isRunning = state.change { state in
                guard state.isHalted, state.server == nil, state.onStarted == nil, !state.isEnding else { return true }
                state.onStarted = continuation
                return false
            }
            if isRunning { continuation.resume(returning: .success(())) }
        }
        try started.get()
    }

    /// Stops the server; after ten seconds without an end, at once.
    func stop() async {
        end(SIGINT)
        let impatience = Task {
            try await Task.sleep(for: .seconds(10))
            end(SIGQUIT)
        }
        await withCheckedContinuation { continuation in
            let isGone = state.change { state in
                if !state.isGone { state.onGone.append(continuation) }
                return state.isGone
            }
            if isGone { continuation.resume() }
        }
        impatience.cancel()
    }

    /// The whole life of a server, on its thread.
    private static func live(
        _ options: TemporaryServer.Options, _ primary: String?,
        _ report: (Result<PostgresProcess, TemporaryServerError>) -> Void
    ) {
        do throws(TemporaryServerError) {
            let keeper = PostgresProcess(try DataDirectory(under: options.base), options)
            do throws(TemporaryServerError) {
                try keeper.makeData(copiedFrom: primary)
                try keeper.launch()
                AtExit.remember(keeper)
                report(.success(keeper))
                keeper.attend()
            } catch {
                keeper.leave()
                throw error
            }
            keeper.leave()
        } catch {
            report(.failure(error))
        }
    }

    /// Waits for the end of the server, and each time it was only halted for the wish to start it again.
    private func attend() {
        while true {
            state.wait { $0.server }.waitForEnd()
            let halted = state.change { state -> [CheckedContinuation<Void, Never>]? in
                guard state.isHalted else { return nil }
                state.server?.reap()
                state.server = nil
                defer { state.onHalted = [] }
                return state.onHalted
            }
            guard let halted else { return }
            for continuation in halted { continuation.resume() }
            guard standsStillUntilStarted() else { return }
        }
    }

    /// - Returns: whether it runs again; false when it is to end.
    private func standsStillUntilStarted() -> Bool {
        while true {
            let wish = state.wait { state -> CheckedContinuation<Result<Void, TemporaryServerError>, Never>?? in
                if let wish = state.onStarted {
                    state.onStarted = nil
                    return .some(wish)
                }
                return state.isEnding ? .some(nil) : nil
            }
            guard let wish else { return false }
            do throws(TemporaryServerError) {
                try launch()
                state.change { $0.isHalted = false }
                wish.resume(returning: .success(()))
                return true
            } catch {
                state.change { state in
                    state.server?.reap()
                    state.server = nil
                }
                wish.resume(returning: .failure(error))
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
        guard try ChildProcess(command, output: log).reap() == 0 else {
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
        settings.merge(options.settings) { _, theirs in theirs }
        let arguments = settings.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let server = try ChildProcess(
                [programs.path("postgres"), "-D", data] + arguments, output: log, diesWithThread: true)
            state.change { $0.server = server }
            if try awaitReadiness(of: server, log, until: deadline) { return }
            // The backends of a server that was killed live a moment longer than it, and no other starts beside them.
            guard SmallFile.text(log).suffix(1_000).contains("is still in use"), ContinuousClock.now < deadline else {
                throw refusal("start a private PostgreSQL", log)
            }
            state.change { state in
                state.server?.reap()
                state.server = nil
            }
            usleep(20_000)
        }
    }

    /// Asks until the server takes connections.
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
            message: String(SmallFile.text(log).suffix(1_000)).split(whereSeparator: \.isWhitespace).joined(
                separator: " "))
    }

    /// Nothing is left: ends a server that still runs, reaps it and removes the directory.
    private func leave() {
        end(SIGQUIT)
        state.change { $0.server }?.waitForEnd()
        state.change { state in
            state.server?.reap()
            state.server = nil  // its number means nothing from here on
        }
        directory.remove()
        AtExit.forget(self)
        let waiting = state.change { state in
            defer { (state.isGone, state.onGone, state.onHalted) = (true, [], []) }
            return state.onGone + state.onHalted
        }
        for continuation in waiting { continuation.resume() }
    }

    static func conninfo(_ directory: String, database: String) -> String {
        func quoted(_ value: String) -> String {
            let escaped = value.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
            return "'\(escaped)'"
        }
        // An empty value keeps libpq from looking into the environment.
        return "host=\(quoted(directory)) hostaddr='' port=5432 dbname=\(quoted(database)) user=postgres password='' "
            + "options='' sslmode=disable gssencmode=disable target_session_attrs=any"
    }

    /// The servers that run when the process exits without having stopped them.
    private enum AtExit {
        private static let running = Mutex<[ObjectIdentifier: PostgresProcess]>([:])
        private static let registered: Int32 = atexit {
            for keeper in AtExit.running.withLock({ Array($0.values) }) {
                keeper.end(SIGQUIT)
                keeper.state.wait { $0.isGone ? () : nil }
            }
        }

        static func remember(_ keeper: PostgresProcess) {
            _ = registered
            running.withLock { $0[ObjectIdentifier(keeper)] = keeper }
        }

        static func forget(_ keeper: PostgresProcess) {
            running.withLock { $0[ObjectIdentifier(keeper)] = nil }
        }
    }
}
