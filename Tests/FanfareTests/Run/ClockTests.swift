import Foundation
import ProgramSupport
import TestSupport
import Testing

/// A machine whose clock is wrong.
@Suite(.serialized) struct ClockTests {
    /// Makes the clock of a program wrong: a library that is loaded before all others.
    private static let compiler = Tool("clang")

    private static func library(in scratch: ScratchDirectory) async throws -> String {
        let source = """
            #define _GNU_SOURCE
            #include <stdlib.h>
            #include <sys/syscall.h>
            #include <time.h>
            #include <unistd.h>
            int clock_gettime(clockid_t clock, struct timespec *time) {
                long code = syscall(SYS_clock_gettime, clock, time);
                const char *ahead = getenv("CLOCK_AHEAD");
                if (code == 0 && clock == CLOCK_REALTIME && ahead) time->tv_sec += atol(ahead);
                return (int)code;
            }
            """
        let path = scratch.path + "/clock.so"
        let ended = try await compiler(
            ["-shared", "-fPIC", "-o", path, try scratch.write(source, to: "clock.c")])
        try #require(ended.status == 0, "\(ended)")
        return path
    }

    private struct Bench {
        let worker: TestWorker
        var fanfare: BuiltProgram

        init(ahead seconds: Int) async throws {
            worker = try await TestWorker.make()
            let scratch = try ScratchDirectory()
            let connection = worker.emulator.connectionString(for: "breaking-news")?.reveal() ?? ""
            let settings = try scratch.write(
                """
                {"database": {"url": "\(worker.test.conninfo)"}, "console": {"listen": "off"},
                 "hubs": {"news": {"hub": "breaking-news", "connectionString": "\(connection)"}}}
                """, to: "config.json")
            fanfare = BuiltProgram(settings: settings, scratch: scratch)
            fanfare.environment = [
                "LD_PRELOAD": try await ClockTests.library(in: scratch), "CLOCK_AHEAD": "\(seconds)",
            ]
        }
    }

    @Test(
        .enabled(if: compiler.isExpected, Tool.advice),
        arguments: [("run", 90_000), ("drain", 90_000), ("drain", -3_600)])
    func aWorkerWhoseClockIsWrongDoesNotBegin(command: String, ahead: Int) async throws {
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

    @Test(.enabled(if: compiler.isExpected, Tool.advice))
    func halfAMinuteKeepsNobodyFromWorking() async throws {
        let bench = try await Bench(ahead: 30)
        try await bench.worker.enqueue(10)
        let ended = try await bench.fanfare("drain")
        #expect(ended.status == 0, "\(ended)")
        #expect(bench.worker.taken.count == 10)
    }

    @Test(.enabled(if: compiler.isExpected, Tool.advice))
    func theDoctorSaysHowWrongItIs() async throws {
        let bench = try await Bench(ahead: 91_000)
        let ended = try await bench.fanfare("doctor", "--offline")
        #expect(ended.status == 1)
        #expect(ended.output.contains("FAIL clock: the server is 1 d 1 h behind us"), "\(ended.output)")
    }
}
