import HubEmulator
import PushModel
import Store
import Telemetry
import TestSupport
import Testing

@testable import PushWorker

/// What is counted is what the tables and the hub say, exactly.
@Suite(.timeLimit(.minutes(10))) struct MetricsJourneyTests {
    /// The values of a metric by its labels, as they are served, without what is behind the point.
    private static func values(_ family: MetricFamily, of worker: TestWorker) -> [String: Int] {
        let bytes = MetricsText.page(of: worker.metrics.reading(now: 0), in: .prometheus)
        var values: [String: Int] = [:]
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        for line in lines where line.hasPrefix(family.name + "{") || line.hasPrefix(family.name + " ") {
            let words = line.split(separator: " ")
            let labels = words[0].matches(of: /"([^"]*)"/).map { String($0.1) }.joined(separator: " ")
            values[labels] = Double(words[1]).map { Int($0) }
        }
        return values
    }

    @Test func afterADrainWithFaultsTheCountersEqualTheTallyAndTheHubsJournal() async throws {
        var worker = try await TestWorker.make()
        worker.hub.packTags = true
        for (number, status) in [(3, 400), (9, 410), (15, 500)] {
            _ = try worker.emulator.add(Fault(.nth(number), status: status))
        }
        var throttling = Fault(.nth(20), status: 429)
        throttling.retryAfter = .seconds(1)
        _ = try worker.emulator.add(throttling)
        _ = try worker.emulator.add(Fault(.nth(30), closing: .afterBody))
        try await worker.enqueue(300)
        try await worker.enqueue(100, tag: "Science")
        try await worker.drain()

        let tally = try await worker.test.texts(
            """
            SELECT h.name || ' ' || t.status || ' ' || t.reason || '=' || sum(t.n)
              FROM push.tally t JOIN push.hub h ON h.id = t.hub GROUP BY h.name, t.status, t.reason
            """)
        let messages = Self.values(.messages, of: worker)
        #expect(Set(messages.map { "\($0.key)=\($0.value)" }) == Set(tally))
        #expect(messages["news accepted taken_by_hub", default: 0] > 200, "\(messages)")

        let posts = worker.emulator.journal().map { "news \($0.status ?? 0)" }
        let codes = Dictionary(posts.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(Self.values(.httpResponses, of: worker) == codes)
        #expect(Self.values(.posts, of: worker).values.reduce(0, +) == posts.count)
        #expect(Self.values(.posts, of: worker)["news throttled"] == codes["news 429"])
        #expect(Self.values(.hubState, of: worker).isEmpty, "told only while the worker works")
    }

    @Test func aWorkerTellsWhatItsHubsAre() async throws {
        let worker = try await TestWorker.make()
        try await worker.test.database.execute("SELECT push.pause_hub('news', 'a test')")
        try await worker.whileWorking { _ in
            try await Awaited.until("a paused hub") {
                let states = Self.values(.hubState, of: worker)
                return (states, states["news paused"] == 1 && states["news open"] == 0)
            }
            #expect(Self.values(.windowPosts, of: worker)["news"] == 1)
        }
    }

    @Test func refusedTokensAndWaitsOfAHubAreCountedAndStayWhenTheWorkerHasEnded() async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.add(Fault(.nth(1), status: 401))
        var throttling = Fault(.nth(3), status: 429)
        throttling.retryAfter = .seconds(2)
        try worker.emulator.add(throttling)
        try await worker.enqueue(10)
        try await worker.drain()

        #expect(Self.values(.tokenRefusals, of: worker) == ["news": 1])
        #expect(Self.values(.tokenSignings, of: worker)["news", default: 0] >= 1)
        #expect(Self.values(.gateWait, of: worker)["news", default: 0] >= 2)
        #expect(Self.values(.clockSkew, of: worker).isEmpty, "told only while the worker works")
    }

    @Test func faultsOfTheDatabaseAreCountedByTheirClass() async throws {
        var worker = try await TestWorker.make()
        let proxy = try Proxy(to: worker.test.conninfo)
        defer { proxy.end() }
        worker.proxy = proxy
        let proxied = worker
        proxy.next(2, naming: "push_worker.complete_v1", .lost)
        try await proxied.enqueue(20)
        try await proxied.whileWorking { _ in
            try await proxied.accepted(20)
            try await Awaited.until("no result that is not written") {
                let left = Self.values(.unwrittenResults, of: proxied)
                return (left, left == ["": 0])
            }
            #expect(Self.values(.oldestUnwritten, of: proxied) == ["": 0])
            #expect(Self.values(.lanesWaiting, of: proxied) == ["": 0])
            #expect(Self.values(.databaseConnections, of: proxied)["", default: 0] >= 2)
        }
        #expect(Self.values(.databaseErrors, of: proxied) == ["none": 2])
        #expect(Self.values(.databaseReconnects, of: proxied)["", default: 0] >= 1)
        #expect(Self.values(.recorderFaults, of: proxied) == ["": 2])
    }

    @Test func resultsThatCannotBeWrittenAreToldWithTheirAge() async throws {
        let worker = try await TestWorker.make()
        try await worker.enqueue(20)
        try await worker.whileWorking { _ in
            try await worker.test.database.withTransaction { person in
                try await person.execute("LOCK TABLE ONLY push.result IN ACCESS EXCLUSIVE MODE")
                try await Awaited.until("a result that waits for a second") {
                    let oldest = Self.values(.oldestUnwritten, of: worker)
                    return (oldest, oldest["", default: 0] >= 1)
                }
                #expect(Self.values(.unwrittenResults, of: worker)["", default: 0] > 0)
            }
            try await worker.accepted(20)
        }
    }

    /// Translations and messages that share a post are counted each.
    @Test func everyAcceptedMessageIsCountedWithTheTimeItWasDueFor() async throws {
        var worker = try await TestWorker.make()
        worker.hub.packTags = true
        try await worker.enqueue(30)
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, priority, send_at)
            VALUES ('news', 'Science', '{"title": "old"}', 0, now() - interval '2 hours')
            """)
        try await worker.drain()
        let page = String(
            decoding: MetricsText.page(of: worker.metrics.reading(now: 0), in: .prometheus), as: UTF8.self)
        #expect(page.contains(#"fanfare_queue_latency_seconds_count{hub="news",priority="1"} 30"#))
        #expect(page.contains(#"fanfare_queue_latency_seconds_bucket{hub="news",priority="0",le="3600.0"} 0"#))
        #expect(page.contains(#"fanfare_queue_latency_seconds_bucket{hub="news",priority="0",le="21600.0"} 1"#))
    }
}
