import CLibpq
import Glibc
import Synchronization

/// Owns the process of a private server, from a thread that starts it and then waits for its end. The system sends the
/// server SIGINT should that thread end first, which it only does when our process dies.
final class ServerKeeper: Sendable {
    private struct State: Sendable {
        /// Until its end was noticed.
        var server: ChildProcess?
        var isGone = false
        var onGone: [CheckedContinuation<Void, Never>] = []
    }

    let directory: ServerDirectory
    private let state = Monitor(State())

    private init(_ directory: ServerDirectory) { self.directory = directory }

    static func start(_ options: TemporaryServer.Options) async throws(TemporaryServerError) -> ServerKeeper {
        let started: Result<ServerKeeper, TemporaryServerError> = await withCheckedContinuation { continuation in
            do throws(DatabaseError) {
                try OwnThread.start { live(options) { continuation.resume(returning: $0) } }
            } catch {
                let refusal = TemporaryServerError(doing: error.doing, message: error.message)
                continuation.resume(returning: .failure(refusal))
            }
        }
        return try started.get()
    }

    /// Signals the server if it runs: SIGINT for a fast shutdown, SIGQUIT for an immediate one.
    func signal(_ signal: Int32) {
        state.change { if let server = $0.server { kill(server.id, signal) } }
    }

    /// Stops the server; after ten seconds without an end, at once.
    func stop() async {
        signal(SIGINT)
        let impatience = Task {
            try await Task.sleep(for: .seconds(10))
            signal(SIGQUIT)
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
        _ options: TemporaryServer.Options,
        _ report: (Result<ServerKeeper, TemporaryServerError>) -> Void
    ) {
        do throws(TemporaryServerError) {
            let keeper = ServerKeeper(try ServerDirectory(under: options.base))
            do throws(TemporaryServerError) {
                let server = try keeper.launch(options)
                AtExit.remember(keeper)
                report(.success(keeper))
                server.waitForEnd()
            } catch {
                keeper.leave()
                throw error
            }
            keeper.leave()
        } catch {
            report(.failure(error))
        }
    }

    private func launch(_ options: TemporaryServer.Options) throws(TemporaryServerError) -> ChildProcess {
        let programs = try ServerPrograms(scratch: directory.path)
        let data = "\(directory.path)/data"
        let log = "\(directory.path)/log"
        let initdb = try ChildProcess(
            [
                programs.path("initdb"), "-D", data, "--no-sync", "-A", "trust", "-U", "postgres", "--locale=C.UTF-8",
                "--encoding=UTF8",
            ], output: log)
        guard initdb.reap() == 0 else { throw refusal("make a database cluster", log) }
        var settings = [
            "listen_addresses": "", "unix_socket_directories": directory.path, "port": "5432",
            "shared_buffers": options.sharedBuffers, "dynamic_shared_memory_type": "mmap",
            "fsync": options.fsync ? "on" : "off", "full_page_writes": options.fsync ? "on" : "off",
        ]
        settings.merge(options.settings) { _, theirs in theirs }
        let arguments = settings.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
        let server = try ChildProcess(
            [programs.path("postgres"), "-D", data] + arguments, output: log, diesWithThread: true)
        state.change { $0.server = server }
        try awaitReadiness(of: server, log)
        return server
    }

    /// Asks until the server takes connections, for at most a minute.
    private func awaitReadiness(of server: ChildProcess, _ log: String) throws(TemporaryServerError) {
        let conninfo = Self.conninfo(directory.path, database: "postgres")
        let deadline = ContinuousClock.now + .seconds(60)
        while PQping(conninfo) != PQPING_OK {
            guard !server.hasEnded, ContinuousClock.now < deadline else {
                throw refusal("start a private PostgreSQL", log)
            }
            usleep(5_000)
        }
    }

    private func refusal(_ doing: String, _ log: String) -> TemporaryServerError {
        TemporaryServerError(doing: doing, message: Diagnosis.line(String(SmallFile.text(log).suffix(1_000))))
    }

    /// Nothing is left: ends a server that still runs, reaps it and removes the directory.
    private func leave() {
        signal(SIGQUIT)
        state.change { $0.server }?.waitForEnd()
        state.change { state in
            state.server?.reap()
            state.server = nil  // its number means nothing from here on
        }
        directory.remove()
        AtExit.forget(self)
        let waiting = state.change { state in
            defer { (state.isGone, state.onGone) = (true, []) }
            return state.onGone
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
        private static let running = Mutex<[ObjectIdentifier: ServerKeeper]>([:])
        private static let registered: Int32 = atexit {
            for keeper in AtExit.running.withLock({ Array($0.values) }) {
                keeper.signal(SIGQUIT)
                keeper.state.wait { $0.isGone ? () : nil }
            }
        }

        static func remember(_ keeper: ServerKeeper) {
            _ = registered
            running.withLock { $0[ObjectIdentifier(keeper)] = keeper }
        }

        static func forget(_ keeper: ServerKeeper) {
            running.withLock { $0[ObjectIdentifier(keeper)] = nil }
        }
    }
}
