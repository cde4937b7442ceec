import ProgramSupport
import Foundation
import HubEmulator
import Testing
import TestSupport

/// `fanfare drain` under something that counts, with a database and a hub in the test's process.
struct Counted {
    let worker: TestWorker
    private let fanfare: BuiltProgram
    private let scratch: ScratchDirectory

    static func make() async throws -> Counted {
        let worker = try await TestWorker.make()
        let scratch = try ScratchDirectory()
        let connection = worker.emulator.connectionString(for: "breaking-news")?.reveal() ?? ""
        let settings = """
            {"database": {"url": "\(worker.test.conninfo)"},
             "hubs": {"news": {"hub": "breaking-news", "connectionString": "\(connection)"}}}
            """
        let fanfare = BuiltProgram(settings: try scratch.write(settings, to: "config.json"), scratch: scratch)
        return Counted(worker: worker, fanfare: fanfare, scratch: scratch)
    }

    /// Enqueues messages, each a post of its own, and drains them.
    ///
    /// - Parameters:
    ///   - under: a program and its arguments, to be followed by the command.
    ///   - environment: more of it, for the command.
    func drain(_ count: Int, under: [String] = [], environment: [String: String] = [:]) async throws {
        let before = worker.emulator.count().taken
        if count > 0 { try await worker.enqueue(count) }
        var fanfare = fanfare
        fanfare.environment = environment
        let process = fanfare.process(["drain"])
        if let first = under.first {
            process.arguments =
                Array(under.dropFirst()) + [process.executableURL?.path() ?? ""] + (process.arguments ?? [])
            process.executableURL = URL(filePath: first)
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try scratch.open("errors")
        let status = await (try ServiceBench.Process(process)).ended
        let errors = try scratch.read("errors")
        #expect(status == 0, "\(errors)")
        #expect(worker.emulator.count().taken - before == count)
    }

    func path(_ name: String) -> String { scratch.path + "/" + name }
    func read(_ name: String) throws -> String { try scratch.read(name) }

    /// Whether a program runs and ends well. Not everywhere may a process look at another, or a counter be had.
    static func works(_ command: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // What cannot be started does not work: that is the answer.
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Whether a test has to run that needs a program: a build machine has all of them, so that there its test fails
    /// instead of being passed over.
    static func isExpected(_ command: [String]) -> Bool {
        works(command) || ProcessInfo.processInfo.environment["CI"] == "true"
    }
}
