import HubEmulator
import TestSupport
import Testing

@testable import PushWorker

/// One trace id leads from the row to the hub's answer.
@Suite(.timeLimit(.minutes(10))) struct TraceJourneyTests {
    private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test func aPostThatIsRefusedIsFoundByItsTrace() async throws {
        let log = LogRecorder()
        var first = try await TestWorker.make()
        first.log = log.logger
        let worker = first
        try worker.emulator.add(Fault(.nth(1), status: 400))
        try await worker.enqueue(1, options: "traceparent='\(Self.trace)'")
        _ = try await worker.drain()
        let lines = log.fields(of: "messages of a trace ended badly")
        #expect(lines.count == 1, "\(lines)")
        let line = try #require(lines.first)
        #expect(line["traceparent"] == Self.trace && line["hub"] == "news" && line["status"] == "rejected")
        #expect(line["first"] == "1" && line["post"] != nil)
        #expect(line["why"]?.hasPrefix("bad_request: hub replied 400") == true, "\(line)")
    }

    @Test func aMessageThatNeverLeftIsFoundByItsTrace() async throws {
        let log = LogRecorder()
        var first = try await TestWorker.make()
        first.log = log.logger
        let worker = first
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, expires_at, traceparent)
            VALUES ('news', 'World', '{}', now() + interval '10 ms', \(Self.trace))
            """)
        try await worker.until("SELECT count(*) FROM push.message WHERE expires_at < now()")
        _ = try await worker.drain()
        let lines = log.fields(of: "messages of a trace ended badly")
        #expect(
            lines.map { $0["traceparent"] } == [Self.trace] && lines.map { $0["status"] } == ["expired"], "\(lines)")
        #expect(lines.first?["post"] == nil)
    }

    @Test func withoutATraceNothingIsSaid() async throws {
        let log = LogRecorder()
        var first = try await TestWorker.make()
        first.log = log.logger
        let worker = first
        try worker.emulator.add(Fault(.nth(1), status: 400))
        try await worker.enqueue(1)
        _ = try await worker.drain()
        #expect(log.fields(of: "messages of a trace ended badly") == [])
        #expect(log.fields(of: "messages ended badly").count == 1)
    }
}
