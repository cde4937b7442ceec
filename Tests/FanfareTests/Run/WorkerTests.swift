import ProgramSupport
import Foundation
import HubEmulator
import Testing
import TestSupport

/// `fanfare run` and `fanfare drain` as processes: what a signal, a crash or a missing database does to them.
@Suite(.serialized) struct WorkerTests {
    /// The binary, an emulator in this process and a database of its own.
    private struct Bench {
        let worker: TestWorker
        let fanfare: BuiltProgram

        static func make(batch: Int = 1000) async throws -> Bench {
            let worker = try await TestWorker.make()
            let scratch = try ScratchDirectory()
            let connection = worker.emulator.connectionString(for: "breaking-news")?.reveal() ?? ""
            let settings = """
                {"database": {"url": "\(worker.test.conninfo)"},
                 "hubs": {"news": {"hub": "breaking-news", "connectionString": "\(connection)",
                   "languages": {"en": "English", "fr": "French", "zh-Hans": "Mandarin"}, "fallback": "en"}},
                 "dispatch": {"leaseSeconds": 5, "batch": \(batch)}}
                """
            return Bench(
                worker: worker,
                fanfare: BuiltProgram(settings: try scratch.write(settings, to: "config.json"), scratch: scratch))
        }

        /// Starts `fanfare run`; it ends with this value's caller, or by a signal.
        func start() throws -> (process: Process, ended: Task<Int32, Never>) {
            let process = fanfare.process(["run"])
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            let (stream, continuation) = AsyncStream<Int32>.makeStream()
            process.terminationHandler = { process in
                continuation.yield(
                    process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
                continuation.finish()
            }
            try process.run()
            let ended = Task { () -> Int32 in
                for await status in stream { return status }
                return -1
            }
            return (process, ended)
        }
    }

    @Test func anInsertIsAcceptedWhileRunWorksAndSIGTERMEndsItWithZero() async throws {
        let bench = try await Bench.make()
        let run = try bench.start()

        try await bench.worker.enqueue(1)
        try await bench.worker.until("SELECT count(*) FROM push.message_status WHERE status = 'accepted'")
        run.process.terminate()

        #expect(await run.ended.value == 0)
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.worker") == 0)
        #expect(try await bench.worker.lost() == [])
    }

    /// The promise that everything else serves.
    @Test func killingAWorkerLosesNothingAndRepeatsNothing() async throws {
        let bench = try await Bench.make(batch: 200)
        var slow = Fault(.every(3))
        slow.delayMilliseconds = 20
        try bench.worker.emulator.add(slow)
        try await bench.worker.enqueue(3000)
        for round in 1...3 {
            let run = try bench.start()
            try await bench.worker.emulator.wait(untilTaken: round * 400)
            kill(run.process.processIdentifier, SIGKILL)
            #expect(await run.ended.value == -SIGKILL)
        }
        bench.worker.emulator.clearFaults()

        // Beside what is due there are claims of three dead workers, which only a lease uncovers.
        let last = try bench.start()
        try await bench.worker.until(
            "SELECT count(*) FROM push.message_status WHERE status NOT IN ('accepted', 'in_doubt')"
        ) { $0 == 0 }
        last.process.terminate()
        #expect(await last.ended.value == 0)

        #expect(try await bench.worker.lost() == [])
        #expect(Set(bench.worker.taken).count == bench.worker.taken.count, "something was sent twice")
        let doubts = try await bench.fanfare("doubt", "list", "--json", "--limit", "1000")
        let listed = try await bench.worker.test.number("SELECT count(*) FROM push.in_doubt")
        #expect(try doubts.json([Any].self).count == Int(listed))
        // What was in flight (a window of 64), or answered and not yet written down (a batch of 500), when each one died.
        #expect(listed <= 3 * (64 + 500))
        let accepted = try await bench.worker.test.number(
            "SELECT count(*) FROM push.message_status WHERE status = 'accepted'")
        #expect(accepted + listed == 3000)
    }

    @Test func aDatabaseWithoutTheSchemaIsNamed() async throws {
        let test = try await TestDatabase.make(migrated: false)
        let fanfare = BuiltProgram(settings: nil)
        let scratch = try ScratchDirectory()
        let path = try scratch.write(Site.settings(url: test.conninfo), to: "config.json")

        let ended = try await fanfare("run", "--config", path)

        #expect(ended.status == 78)
        #expect(ended.errors.contains("fanfare migrate up"))
    }

    @Test func runWithoutAHubSaysSo() async throws {
        let test = try await TestDatabase.make()
        let scratch = try ScratchDirectory()
        let path = try scratch.write("{\"database\": {\"url\": \"\(test.conninfo)\"}}", to: "config.json")

        let ended = try await BuiltProgram(settings: nil)("run", "--config", path)

        #expect(ended.status == 78)
        #expect(ended.errors.contains("fanfare: hubs: names no hub: "))
    }
}
