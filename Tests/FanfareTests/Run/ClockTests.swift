import ProgramSupport
import TestSupport
import Testing

/// A machine whose clock is wrong.
@Suite(.serialized) struct ClockTests {
    private struct Bench {
        let worker: TestWorker
        var fanfare: BuiltProgram

        init(ahead seconds: Double) async throws {
            worker = try await TestWorker.make()
            let clock = try await MovedClock()
            try clock.advance(by: seconds)
            let scratch = try ScratchDirectory()
            let connection = worker.emulator.connectionString(for: "breaking-news")?.reveal() ?? ""
            let settings = try scratch.write(
                """
                {"database": {"url": "\(worker.test.conninfo)"}, "console": {"listen": "off"},
                 "hubs": {"news": {"hub": "breaking-news", "connectionString": "\(connection)"}}}
                """, to: "config.json")
            fanfare = BuiltProgram(settings: settings, scratch: scratch)
            fanfare.clock = clock
        }
    }

    @Test(
        .enabled(if: MovedClock.compiler.isExpected, Tool.advice),
        arguments: [("run", 90_000), ("drain", 90_000), ("drain", -3_600)] as [(String, Double)])
    func aWorkerWhoseClockIsWrongDoesNotBegin(command: String, ahead: Double) async throws {
        let bench = try await Bench(ahead: ahead)
        try await bench.worker.enqueue(10)

        let ended = try await bench.fanfare.run([command])

        #expect(ended.status == 75, "systemd starts it again: \(ended)")
        let words = /this machine's clock is [0-9]+ s (ahead of|behind) the database's; 60 s are allowed/
        let said = try #require(ended.errors.firstMatch(of: words), "\(ended.errors)")
        #expect(said.1 == (ahead > 0 ? "ahead of" : "behind"))
        #expect(ended.errors.contains("NTP"))
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.due") == 10)
        #expect(bench.worker.taken.isEmpty)
        let unit = try Repository.text("deploy/systemd/fanfare.service")
        #expect(unit.contains("\nRestart=on-failure\n") && !unit.contains(/RestartPreventExitStatus=.*\b75\b/))
    }

    @Test(.enabled(if: MovedClock.compiler.isExpected, Tool.advice))
    func halfAMinuteKeepsNobodyFromWorking() async throws {
        let bench = try await Bench(ahead: 30)
        try await bench.worker.enqueue(10)
        let ended = try await bench.fanfare("drain")
        #expect(ended.status == 0, "\(ended)")
        #expect(bench.worker.taken.count == 10)
    }

    @Test(.enabled(if: MovedClock.compiler.isExpected, Tool.advice))
    func theDoctorSaysHowWrongItIs() async throws {
        let bench = try await Bench(ahead: 91_000)
        let ended = try await bench.fanfare("doctor", "--offline")
        #expect(ended.status == 1)
        #expect(ended.output.contains("FAIL clock: the server is 1 d 1 h behind us"), "\(ended.output)")
    }
}
