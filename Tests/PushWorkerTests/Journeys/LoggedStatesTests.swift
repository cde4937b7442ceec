import HubEmulator
import TestSupport
import Testing

@testable import PushWorker

/// The log has one line for the beginning of a hub's state and one for its end, which says how long it lasted.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LoggedStatesTests {
    private static func worker(_ log: LogRecorder) async throws -> TestWorker {
        var worker = try await TestWorker.make()
        worker.log = log.logger
        return worker
    }

    private static func line(_ message: String, in log: LogRecorder) async throws -> [String: String] {
        try await Awaited.until("a line: \(message)") {
            let lines = log.fields(of: message)
            return (lines, !lines.isEmpty)
        }
        let lines = log.fields(of: message)
        #expect(lines.count == 1, "\(lines)")
        return lines[0]
    }

    @Test func aPauseAndItsEndAreTold() async throws {
        let log = LogRecorder()
        let worker = try await Self.worker(log)
        try await worker.whileWorking { _ in
            try await worker.test.database.execute("SELECT push.pause_hub('news', 'a new key')")
            let begins = try await Self.line("the hub is paused; its messages wait", in: log)
            #expect(begins["hub"] == "news" && begins["paused_by"]?.isEmpty == false, "\(begins)")
            #expect(begins["why"] == "a new key", "\(begins)")
            try await worker.test.database.execute("SELECT push.resume_hub('news')")
            let ends = try await Self.line("the hub is not paused any more", in: log)
            #expect(ends["was_paused_by"] == begins["paused_by"], "\(ends)")
            #expect(ends["since_seconds"].flatMap(Double.init).map { $0 >= 0 && $0 < 300 } == true, "\(ends)")
        }
    }

    @Test func aWaitThatTheHubAskedForAndItsEndAreTold() async throws {
        let log = LogRecorder()
        let worker = try await Self.worker(log)
        var throttling = Fault(.nth(1), status: 429)
        throttling.retryAfter = .seconds(1)
        try worker.emulator.add(throttling)
        try await worker.enqueue(1)
        try await worker.whileWorking { _ in
            try await worker.accepted(1)
            let begins = try await Self.line("the hub asks all workers to wait", in: log)
            #expect(begins["seconds"] == "1.0", "\(begins)")
            let ends = try await Self.line("the wait for the hub is over", in: log)
            #expect(ends["since_seconds"].flatMap(Double.init).map { $0 >= 0.5 } == true, "\(ends)")
        }
    }

    @Test func aHoldThatAPersonEndsIsTold() async throws {
        let log = LogRecorder()
        let worker = try await Self.worker(log)
        try await worker.test.database.execute(
            "SELECT push_worker.hold_hub_v1((SELECT id FROM push.hub), 'a quota', 3600, 0)")
        try await worker.whileWorking { _ in
            let begins = try await Self.line("the hub is held; its messages wait", in: log)
            #expect(begins["why"]?.contains("a quota") == true, "\(begins)")
            try await worker.test.database.execute("SELECT push.resume_hub('news')")
            let ends = try await Self.line("the hub takes posts again; it was held", in: log)
            #expect(ends["was_held_because"]?.contains("a quota") == true && ends["since_seconds"] != nil, "\(ends)")
        }
    }
}
