import ProgramSupport
import Foundation
import Postgres
import PostgresServer
import TestSupport
import Testing

/// PostgreSQL's server as one process that serves one session (`postgres --single`), under callgrind: counts the
/// instructions of statements, which depend neither on the machine's mood nor on what else it does.
struct LoneBackend {
    static let counter = ["valgrind", "--version"]

    private let server: TemporaryServer
    private let programs: PostgresBinaries
    private let database: String
    private let scratch: ScratchDirectory

    /// A database with the schema and one hub, and `prepare` done in it by an ordinary session.
    static func make(_ prepare: SQL...) async throws -> LoneBackend {
        let server = try await TemporaryServer.start()
        let test = try await TestDatabase.make(in: server)
        try await test.database.execute("SELECT push.add_hub('news')")
        for statement in prepare { try await test.database.execute(statement) }
        await test.database.close()
        await server.halt(.fast)
        let scratch = try ScratchDirectory()
        return LoneBackend(
            server: server, programs: try PostgresBinaries(scratch: scratch.path), database: test.name, scratch: scratch
        )
    }

    /// How many instructions one more execution of the statement takes, once its plans are made.
    func instructions(of statement: String) async throws -> Int {
        let (few, many) = (50, 150)
        return
            (try await count(Array(repeating: statement, count: many))
            - count(Array(repeating: statement, count: few))) / (many - few)
    }

    /// All instructions of a session that executes these statements, its start and end included.
    func count(_ statements: [String]) async throws -> Int {
        // A line is a statement there.
        let lines = statements.map { $0.split(separator: "\n").joined(separator: " ") + "\n" }.joined()
        try scratch.write(lines, to: "statements")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let asPostgres =
            geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"] : []
        process.arguments =
            ["-C", "/"] + asPostgres + ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
            + [programs.path("postgres"), "--single", "-D", server.directory + "/data", "-c", "fsync=off", database]
        process.standardInput = try scratch.openToRead("statements")
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try scratch.open("printed")
        let status = await (try ServiceBench.Process(process)).ended
        let printed = try scratch.read("printed")
        try #require(status == 0 && !printed.contains("ERROR:"), "\(printed.suffix(2_000))")
        let collected = try #require(printed.firstMatch(of: /Collected : ([0-9]+)/), "\(printed.suffix(2_000))")
        return try #require(Int(collected.1))
    }

    func stop() async { await server.stop() }
}
