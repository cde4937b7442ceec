import ProgramSupport
import Foundation
import HubEmulator
import Logging
import Postgres
import Signing
import TestSupport

/// `fanfare run` as systemd would start it, with a database and two hubs of an emulator of its own.
final class ServiceBench: Sendable {
    let test: TestDatabase
    let emulator: HubEmulator
    let scratch: ScratchDirectory
    let systemd: NotifySocket
    private let fanfare: BuiltProgram

    init() async throws {
        test = try await TestDatabase.make()
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        emulator = try HubEmulator(
            EmulatorSettings(
                hubs: [
                    .init(
                        "old",
                        policies: [
                            SASPolicy(name: "emulator", key: Secret("ZW11bGF0b3I=")),
                            SASPolicy(name: "other", key: Secret("b3RoZXI=")),
                        ]),
                    .init(
                        "new",
                        policies: [SASPolicy(name: "fresh", key: Secret("bmV3IGtleQ=="), rights: [.send])]),
                ]), logger: quiet)
        _ = try await emulator.start()
        scratch = try ScratchDirectory()
        systemd = try NotifySocket(in: scratch)
        var fanfare = BuiltProgram(settings: scratch.path + "/config.json", scratch: scratch)
        fanfare.environment = ["NOTIFY_SOCKET": systemd.path]
        self.fanfare = fanfare
        try configure()
    }

    /// Writes config.json with one hub, `news`, that is `old` or `new` at the emulator.
    func configure(
        hub: String = "old", members: String = "", rest: String = "", database: String? = nil
    ) throws {
        let connection = emulator.connectionString(for: hub)?.reveal() ?? ""
        try scratch.write(
            """
            {"database": {"url": "\(database ?? test.conninfo)"}\(rest),
             "hubs": {"news": {\(members)"hub": "\(hub)", "connectionString": "\(connection)"}}}
            """, to: "config.json")
    }

    /// A started `fanfare run`; what it logs, as JSON lines, is in the file `log`.
    struct Process: Sendable {
        let id: pid_t
        private let status: Task<Int32, Never>

        init(_ process: Foundation.Process) throws {
            let (stream, continuation) = AsyncStream<Int32>.makeStream()
            process.terminationHandler = { process in
                continuation.yield(
                    process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
                continuation.finish()
            }
            try process.run()
            id = process.processIdentifier
            status = Task {
                for await status in stream { return status }
                return -1
            }
        }

        func signal(_ signal: Int32) { kill(id, signal) }

        /// The exit status; negative: the signal that ended it.
        var ended: Int32 { get async { await status.value } }
    }

    /// Starts it and waits until it works.
    ///
    /// - Parameters:
    ///   - log: the file that gets its log; beside another process a file of its own.
    ///   - command: what tells systemd that it is ready.
    func start(_ arguments: String..., log: String = "log", as command: [String] = ["run"]) async throws -> Process {
        let process = fanfare.process(command + ["--log-format", "json"] + arguments)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try scratch.open(log)
        let started = try Process(process)
        await systemd.wait(for: "READY=1")
        return started
    }

    /// Starts it with more in its environment and waits until it works.
    func start(with environment: [String: String]) async throws -> Process {
        var fanfare = fanfare
        fanfare.environment.merge(environment) { $1 }
        let process = fanfare.process(["run", "--log-format", "json"])
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try scratch.open("log")
        let started = try Process(process)
        await systemd.wait(for: "READY=1")
        return started
    }

    /// Waits until it has logged this so often.
    func logs(_ message: String, times count: Int = 1) async throws {
        while try logged(message, "level").count < count { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Starts it and waits until it has logged this.
    func start(until text: String) async throws -> Process {
        let process = fanfare.process(["run", "--log-format", "json"])
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try scratch.open("log")
        let started = try Process(process)
        while try !scratch.read("log").contains(text) { await Task.yield() }
        return started
    }

    /// As `start`, as the leader of a terminal's session.
    ///
    /// - Returns: the other end of the terminal too: closing it takes the terminal away.
    func startOnATerminal() async throws -> (Process, terminal: Int32) {
        var (ours, theirs): (Int32, Int32) = (-1, -1)
        guard openpty(&ours, &theirs, nil, nil, nil) == 0 else { throw POSIXError(.ENOTTY) }
        _ = fcntl(ours, F_SETFD, FD_CLOEXEC)
        let process = fanfare.process(["run", "--log-format", "json"])
        // Tests that nohup started ignore SIGHUP, and what they start would, too.
        let heeding = ["--ctty", "--wait", "/usr/bin/env", "--default-signal=HUP", process.executableURL?.path() ?? ""]
        process.arguments = heeding + (process.arguments ?? [])
        process.executableURL = URL(filePath: "/usr/bin/setsid")
        process.standardInput = FileHandle(fileDescriptor: theirs, closeOnDealloc: true)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try scratch.open("log")
        let started = try Process(process)
        await systemd.wait(for: "READY=1")
        return (started, ours)
    }

    /// Sends SIGHUP and waits until it is dealt with.
    func reload(_ process: Process) async {
        process.signal(SIGHUP)
        await systemd.wait(for: "RELOADING=1\nMONOTONIC_USEC=")
        await systemd.wait(for: "READY=1")
    }

    /// Everything logged under one message, as the values of one member.
    func logged(_ message: String, _ member: String, in log: String = "log") throws -> [String] {
        try scratch.read(log).split(separator: "\n").compactMap { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard object?["msg"] as? String == message else { return nil }
            return object?[member].map { "\($0)" } ?? ""
        }
    }

    func enqueue(_ numbers: ClosedRange<Int>) async throws {
        try await test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content)
            SELECT 'news', 'World', json_build_object('message', 'no ' || n)
              FROM generate_series(\(Int32(numbers.lowerBound)), \(Int32(numbers.upperBound))) n
            """)
    }

    func until(_ sql: SQL, _ holds: @Sendable (Int64) -> Bool = { $0 > 0 }) async throws {
        while !holds(try await test.number(sql)) { try Task.checkCancellation() }
    }

    /// Bodies that the hubs took.
    func taken(_ hub: String? = nil) -> [String] { emulator.journal(hub: hub).filter(\.taken).compactMap(\.body) }
}
