import Testing
import TestSupport

/// A row goes in, a push goes out, its result is written.
@Suite struct JourneyTests {
    @Test func aRowBecomesAPushAndAResult() async throws {
        let worker = try await TestWorker.make()
        try await worker.test.database.execute(
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'World', '{\"message\": \"hi\"}')")

        let summary = try await worker.drain()

        #expect(summary.accepted == 1)
        #expect(summary.clean)
        #expect(worker.emulator.journal().map(\.tags) == ["World"])
        #expect(try await worker.test.texts("SELECT status::text FROM push.message_status") == ["accepted"])
        #expect(try await worker.test.number("SELECT count(*) FROM push.lost") == 0)
        #expect(try await worker.test.number("SELECT count(*) FROM push.claim") == 0)
        #expect(try await worker.test.number("SELECT count(*) FROM push.worker") == 0)
    }
}
