import Foundation
import Glibc
import HubEmulator
import ProgramSupport
import TestSupport
import Testing

@testable import fanfare

/// `fanfare drain --metrics-file`
@Suite(.serialized, .timeLimit(.minutes(10))) struct DrainMetricsTests {
    private struct Bench {
        let worker: TestWorker
        let scratch: ScratchDirectory
        let fanfare: BuiltProgram
        var file: String { scratch.path + "/fanfare.prom" }

        init() async throws {
            worker = try await TestWorker.make()
            scratch = try ScratchDirectory()
            let connection = worker.emulator.connectionString(for: "breaking-news")?.reveal() ?? ""
            let settings = """
                {"database": {"url": "\(worker.test.conninfo)"},
                 "hubs": {"news": {"hub": "breaking-news", "connectionString": "\(connection)"}}}
                """
            fanfare = BuiltProgram(settings: try scratch.write(settings, to: "config.json"), scratch: scratch)
        }

        func page() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

        func value(_ name: String) throws -> Double? { DrainMetrics.value(of: name, in: try page()) }
    }

    private static let success = "fanfare_drain_last_success_timestamp_seconds"

    @Test func theFileHasWhatTheDrainCountedAndEverybodyMayReadIt() async throws {
        let bench = try await Bench()
        try await bench.worker.enqueue(30)
        let before = Date().timeIntervalSince1970
        let ended = try await bench.fanfare("drain", "--metrics-file", bench.file)
        #expect(ended.status == 0, "\(ended.errors)")
        let page = try bench.page()
        #expect(
            page.contains(#"fanfare_messages_total{hub="news",status="accepted",reason="taken_by_hub"} 30"#), "\(page)")
        #expect(page.contains(#"fanfare_http_responses_total{hub="news",code="201"} 30"#))
        #expect(try bench.value("fanfare_transport_requests_total") == 30, "it ended before the file was written")
        #expect(try bench.value("fanfare_drain_left") == 0)
        #expect(try bench.value("fanfare_drain_duration_seconds").map { $0 > 0 && $0 < 300 } == true)
        #expect(try bench.value(Self.success).map { $0 >= before && $0 < before + 300 } == true)
        #expect(!page.contains("\nprocess_"), "node_exporter has its own, and refuses a second one")
        #expect(page.hasSuffix("\n") && !page.contains("# EOF"))
        var status = stat()
        #expect(stat(bench.file, &status) == 0 && status.st_mode & 0o777 == 0o644)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: bench.scratch.path).count { $0.contains(".prom") } == 1)
    }

    @Test func aDrainThatDidNotSucceedKeepsTheTimeOfTheLastOneThatDid() async throws {
        let bench = try await Bench()
        var fault = Fault(.next(1000), status: 429)
        fault.retryAfter = .seconds(600)
        try bench.worker.emulator.add(fault)
        try await bench.worker.enqueue(3)
        let first = try await bench.fanfare("drain", "--max-runtime", "1s", "--metrics-file", bench.file)
        #expect(first.status == 75)
        #expect(try bench.value(Self.success) == nil && bench.value("fanfare_drain_left") == 3)

        try Data("# an older drain\n\(Self.success) 1700000000.25\n".utf8).write(to: URL(filePath: bench.file))
        let second = try await bench.fanfare("drain", "--max-runtime", "1s", "--metrics-file", bench.file)
        #expect(second.status == 75)
        #expect(try bench.value(Self.success) == 1_700_000_000.25 && bench.value("fanfare_drain_left") == 3)

        let away = try await bench.fanfare(
            "drain", "--max-runtime", "1s", "--metrics-file", bench.file, "--set",
            "database.url=host=127.0.0.1 port=1")
        #expect(away.status == 69, "\(away.errors)")
        #expect(try bench.value(Self.success) == 1_700_000_000.25)
        #expect(try bench.value("fanfare_drain_left") == nil, "nobody could count them")
        #expect(try bench.value("fanfare_drain_duration_seconds") != nil)
    }

    @Test func aFileThatCannotBeWrittenIsSaidAndChangesNoStatus() async throws {
        let bench = try await Bench()
        let lost = bench.scratch.path + "/nowhere/fanfare.prom"
        let good = try await bench.fanfare("drain", "--metrics-file", lost)
        #expect(good.status == 0 && good.output.contains("0 accepted"))
        #expect(good.errors.contains("fanfare: cannot write \(lost): No such file or directory"), "\(good.errors)")

        try bench.worker.emulator.add(Fault(.nth(1), status: 400))
        try await bench.worker.enqueue(1)
        let bad = try await bench.fanfare("drain", "--metrics-file", lost)
        #expect(bad.status == 1 && bad.errors.contains("cannot write"))
        let wrong = try await bench.fanfare("drain", "--metrics-file", bench.scratch.path + "/fanfare.txt")
        #expect(wrong.status == 64 && wrong.errors.contains("must end with .prom"), "\(wrong.errors)")
    }

    @Test func aDrainThatAnotherOneKeepsOutLeavesTheFileAlone() async throws {
        let bench = try await Bench()
        try Data("\(Self.success) 5\n".utf8).write(to: URL(filePath: bench.file))
        try await bench.worker.test.database.execute(
            "SELECT push_worker.hold_drain_v1('drain', 42, 3600::real)")
        let ended = try await bench.fanfare("drain", "--metrics-file", bench.file)
        #expect(ended.status == 75)
        #expect(try bench.page() == "\(Self.success) 5\n")
    }

    @Test func onlyANumberOfThatNameIsTaken() {
        #expect(DrainMetrics.value(of: "a", in: "a_b 1\na 2\n") == 2)
        for page in ["", "a", "a x", "a NaN", "a +Inf", "a{l=\"1\"} 2", "# a 2", "a 1 2"] {
            #expect(DrainMetrics.value(of: "a", in: page) == nil, "\(page)")
        }
    }
}
