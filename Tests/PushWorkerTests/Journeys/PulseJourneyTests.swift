import Store
import Telemetry
import TestSupport
import Testing

@testable import PushWorker

/// Two workers on one database: one looks at what is pending, both show it.
@Suite(.timeLimit(.minutes(10))) struct PulseJourneyTests {
    /// The series of the pulse, as they are served.
    private static func pulse(of worker: TestWorker) -> [String] {
        let bytes = MetricsText.page(of: worker.metrics.reading(now: 0), in: .prometheus)
        let families = [
            "backlog_messages", "backlog_is_capped", "oldest_due_seconds", "in_doubt_messages", "workers",
            "oldest_beat_seconds", "default_partition_rows",
        ]
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init).filter { line in
            families.contains { line.hasPrefix("fanfare_\($0) ") || line.hasPrefix("fanfare_\($0){") }
        }
    }

    @Test func bothShowTheReadingThatOneTook() async throws {
        var first = try await TestWorker.make()
        first.settings.leaseSeconds = 5  // a heartbeat a second
        var second = first
        second.metrics = MetricsRegistry()
        // A paused hub sends nothing, so what is due stays due.
        try await first.test.database.execute("SELECT push.pause_hub('news', 'a test')")
        try await first.enqueue(7)
        try await first.enqueue(10_001, options: "priority=2")
        let (one, two) = (first, second)
        try await one.whileWorking { progress in
            let mine = progress.worker
            try await Awaited.until("a reading") { (Self.pulse(of: one), !Self.pulse(of: one).isEmpty) }
            try await two.whileWorking { _ in
                try await Awaited.until("the same reading") {
                    let shown = (Self.pulse(of: one), Self.pulse(of: two))
                    return (shown, shown.0 == shown.1)
                }
                let taken = try await one.test.texts("SELECT worker || ' ' || (milliseconds > 0) FROM push.pulse")
                #expect(taken == ["\(mine) true"], "the first took it, the second read it")
                let shown = Self.pulse(of: two)
                for line in [
                    #"fanfare_backlog_messages{hub="news",priority="1"} 7"#,
                    #"fanfare_backlog_messages{hub="news",priority="2"} 10000"#,
                    #"fanfare_backlog_is_capped{hub="news",priority="1"} 0"#,
                    #"fanfare_backlog_is_capped{hub="news",priority="2"} 1"#,
                    #"fanfare_in_doubt_messages{hub="news"} 0"#, "fanfare_workers 1",
                    "fanfare_default_partition_rows 0",
                ] { #expect(shown.contains(line), "\(shown)") }
            }
        }
        #expect(Self.pulse(of: one).isEmpty, "told only while the worker works")
    }

    /// The worker goes on beating and sending, and says only what it knows.
    @Test func aLookThatIsHeldUpHarmsNothing() async throws {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 5
        let working = worker
        // Only the look reads this table.
        try await worker.test.database.withTransaction { connection in
            try await connection.execute("LOCK TABLE push.answer_default IN ACCESS EXCLUSIVE MODE")
            try await working.whileWorking { _ in
                try await Awaited.until("a failure") {
                    let page = MetricsText.page(of: working.metrics.reading(now: 0), in: .prometheus)
                    let text = String(decoding: page, as: UTF8.self)
                    return (text, text.contains("fanfare_pulse_failures_total 1\n"))
                }
                let beats = try await working.test.number("SELECT max(beats) FROM push.worker")
                try await working.until("SELECT max(beats) FROM push.worker") { $0 > beats + 1 }
                #expect(Self.pulse(of: working).isEmpty)
            }
        }
        #expect(try await worker.test.number("SELECT count(*) FROM push.pulse WHERE reading IS NULL") == 1)
    }
}
