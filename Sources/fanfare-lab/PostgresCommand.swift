import ArgumentParser
import CommandLineTool
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

    @Flag(help: "Let commits wait for the disk, so that they cost what they cost in production.")
    var fsync = false

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
    private func end(of name: String, beside server: TemporaryServer, _ signals: UnixSignalsSequence) async throws
        -> Int32
    {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // What traps signals here ignores them, and a child would inherit that.
        process.arguments = ["--default-signal=INT,TERM,HUP", name] + command.dropFirst()
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["FANFARE_DATABASE_URL": server.conninfo(database: "fanfare")]) { $1 }
        let (ends, ended) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            let isExit = process.terminationReason == .exit
            ended.yield(process.terminationStatus + (isExit ? 0 : 128))
            ended.finish()
        }
        try process.run()
        let id = process.processIdentifier
        let handing = Task {
            for await signal in signals { kill(id, signal.rawValue) }
        }
        defer { handing.cancel() }
        for await status in ends { return status }
        return 1
    }
}
