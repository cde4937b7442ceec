import ArgumentParser
import CommandLineTool
import Concurrency
import Foundation
import PostgresServer
import UnixSignals

/// `fanfare-lab postgres`: a command beside a private server.
struct PostgresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postgres", abstract: "Run a command beside a private PostgreSQL.",
        discussion: """
            Starts a PostgreSQL of its own (a Unix socket, no port) with an empty database, runs the command with \
            FANFARE_DATABASE_URL set to it, takes the server away again and ends with the command's status.

            Example: fanfare-lab postgres --fsync -- fanfare bench
            """)

    @Flag(help: "Let commits wait for the disk, so that they cost what they cost in production.") var fsync = false

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The command and its arguments.", valueName: "command"))
    var command: [String]

    func run() async throws {
        guard let name = command.first else { throw ValidationError("Name a command behind --.") }
        var options = TemporaryServer.Options()
        options.fsync = fsync
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        let server = try await TemporaryServer.start(options)
        let status: Int32
        do {
            try await server.createDatabase("fanfare")
            status = try await end(of: name, beside: server, signals)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
        throw ExitCode(status)
    }

    /// Runs the command, hands signals on to it, and returns its exit status; 128 and the signal when one ended it.
    private func end(
        of name: String, beside server: TemporaryServer, _ signals: UnixSignalsSequence
    ) async throws -> Int32 {
        let id = try Self.spawn(
            command,
            environment: ProcessInfo.processInfo.environment.merging(
                ["FANFARE_DATABASE_URL": server.conninfo(database: "fanfare")]) { $1 })
        let forwarding = Task {
            for await signal in signals { kill(id, signal.rawValue) }
        }
        defer { forwarding.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            do throws(SystemThreadError) {
                try SystemThread(named: "fanfare-wait") { continuation.resume(returning: Self.wait(for: id)) }
            } catch {
                kill(id, SIGKILL)
                continuation.resume(throwing: error)
            }
        }
    }

    /// Starts the command in our process group, so that a shell keeps the terminal (Foundation's `Process` makes a group of
    /// its own), and with default signal handling, because it would inherit that we ignore what we trap.
    private static func spawn(_ command: [String], environment: [String: String]) throws(Failure) -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&defaults, signal) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        var blocked = sigset_t()
        sigemptyset(&blocked)  // threads of the runtime block signals, and a child inherits that, too
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var words = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var id = pid_t()
        let code = posix_spawnp(&id, command[0], nil, &attributes, &words, &variables)
        guard code == 0 else {
            throw Failure("cannot run \(command[0])", because: String(cString: strerror(code)), status: .usage)
        }
        return id
    }

    /// Blocks until the process has ended.
    private static func wait(for id: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F  // WTERMSIG; 0: it exited, and the next byte is the status (wait(2))
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
