import Foundation
import HubEmulator
import Postgres
import ProgramSupport
import TestSupport
import Testing

/// What Prometheus makes of two workers under load: numbers as in the tables, and the shipped alerts.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PrometheusTests {
    private static let messages = 1_500

    @Test(.enabled(if: Tool.prometheus.isExpected && Tool.promtool.isExpected, Tool.advice))
    func prometheusCountsWhatTheTablesDoAndRingsForAHeldHubAThrottledOneAndADeadWorker() async throws {
        try await PrometheusBench.run { bench in
            let first = try await bench.start("first")
            let second = try await bench.start("second")
            try await bench.startPrometheus(reading: [first.port, second.port])
            let began = Date().timeIntervalSince1970.rounded(.down)
            #expect(try await bench.query("fanfare_messages_total").isEmpty, "nothing was sent yet")

            try await load(bench)
            try await expectCountersOfTables(bench)
            try await expectRates(bench, since: began)
            let posts = PrometheusBench.newest("fanfare_posts_total{hub=\"news\"}")
            #expect(try await bench.query("sum by (instance) (\(posts)) > 0").count == 2, "both work")

            try await bench.fires("FanfareRejected", ", hub=\"news\"")
            try await bench.fires("FanfareHubClosed", ", hub=\"sport\"")
            try await bench.fires("FanfareThrottled", ", hub=\"alerts\"")
            bench.worker.emulator.clearFaults()
            try await bench.worker.test.database.script(
                "SELECT push.resume_hub('sport'), push.open_gate('alerts'), push.resume_hub('alerts')")
            try await bench.ends("FanfareHubClosed")
            try await bench.ends("FanfareThrottled")
            try await bench.ends("FanfareRejected")

            try await expectPages(bench, ports: [first.port, second.port])
            try await expectAlertOfADeadWorker(bench, first, second)
        }
    }

    /// Messages for a hub that refuses some, fails for some and loses an answer; for one that refuses the key; and for one
    /// that asks to wait for an hour. Returns when the first has nothing left.
    private func load(_ bench: PrometheusBench) async throws {
        let emulator = bench.worker.emulator
        var lost = Fault(.nth(101), hub: "breaking-news")  // neither a 25th nor a 40th
        lost.closing = .afterBody
        var slow = Fault(.every(1), hub: "breaking-news")
        slow.delayMilliseconds = 20  // so that one worker cannot take everything
        var throttles = Fault(.every(1), hub: "alerts-hub", status: 429)
        throttles.retryAfter = .seconds(3_600)
        let faults = [
            Fault(.every(25), hub: "breaking-news", status: 400), Fault(.every(40), hub: "breaking-news", status: 503),
            lost, slow, Fault(.every(1), hub: "sport-hub", status: 401), throttles,
        ]
        for fault in faults { try emulator.add(fault) }
        try await bench.worker.enqueue(5, to: "sport")
        try await bench.worker.enqueue(5, to: "alerts")
        try await bench.worker.enqueue(Self.messages)
        try await bench.worker.until(
            """
            SELECT count(*) FROM push.message_status
             WHERE hub = 'news' AND status IN ('accepted', 'rejected', 'expired', 'in_doubt')
            """
        ) { $0 == Self.messages }
        try await bench.untilReadAgain()
    }

    /// Counters of both workers together are what `push.tally` and the emulator's journal say, exactly.
    private func expectCountersOfTables(_ bench: PrometheusBench) async throws {
        let messages = PrometheusBench.newest("fanfare_messages_total{hub=\"news\"}")
        let counted = try await bench.values("sum by (status, reason) (\(messages))", by: "status", "reason")
        let written = try await tally(bench, "status || ' ' || reason")
        #expect(counted == written)
        let statuses = Set(written.keys.map { $0.split(separator: " ")[0] })
        #expect(statuses == ["accepted", "rejected", "retrying", "in_doubt"])

        let responses = PrometheusBench.newest("fanfare_http_responses_total{hub=\"news\"}")
        let codes = try await bench.values("sum by (code) (\(responses))", by: "code")
        let answers = bench.worker.emulator.journal(hub: "breaking-news").map { "\($0.status ?? 0)" }
        #expect(codes == Dictionary(answers.map { ($0, 1) }, uniquingKeysWith: +))
        #expect(Set(codes.keys) == ["0", "201", "400", "503"])
    }

    private func tally(_ bench: PrometheusBench, _ key: SQL) async throws -> [String: Double] {
        let rows = try await bench.worker.test.texts(
            """
            SELECT (\(raw: key.text)) || '=' || sum(messages) FROM push.throughput WHERE hub = 'news'
             GROUP BY \(raw: key.text)
            """)
        let pairs = rows.map { $0.split(separator: "=").map(String.init) }
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], Double($0[1]) ?? 0) })
    }

    /// `rate` over the time of the load, from its calm before to the calm behind it, is what was written by the second.
    private func expectRates(_ bench: PrometheusBench, since began: Double) async throws {
        // A whole second that every worker was read before: a step of the subquery lies on both ends of the range, so that
        // `rate` has nothing to guess there.
        let end = Date().timeIntervalSince1970.rounded(.up)
        try await bench.until("vector(time())") { ($0.first?.value ?? 0) > end }
        let seconds = Int(end - began)
        for (status, written) in try await tally(bench, "status::text") {
            let counter = PrometheusBench.newest("fanfare_messages_total{hub=\"news\", status=\"\(status)\"}")
            let rate = try await bench.query("rate((sum(\(counter)) or vector(0))[\(seconds)s:1s])", at: end)
            let expected = written / Double(seconds)
            let found = try #require(rate.first?.value, "\(status)")
            #expect(abs(found - expected) <= 0.02 * expected, "\(status): \(found) and \(expected) a second")
        }
    }

    // MARK: Readers of the page

    /// What `promtool` and the parsers of prometheus-client say to the pages of both workers.
    private func expectPages(_ bench: PrometheusBench, ports: [Int]) async throws {
        for port in ports {
            let plain = try await page(port)
            let checked = try await Tool.promtool(["check", "metrics"], input: plain)
            #expect(checked.status == 0 && checked.output + checked.errors == "", "\(checked)")
            guard Tool.readers.isExpected else { continue }
            // A value that moved meanwhile, such as CPU time, says nothing, and an open file may come and go between two
            // looks. What a format tells wrongly it tells wrongly each time.
            var wrong: Set<String>?
            for _ in 1...3 where wrong != [] {
                let before = try await MetricsParser.plain.samples(page(port))
                let open = try await MetricsParser.openMetrics.samples(page(port, "application/openmetrics-text"))
                let after = try await MetricsParser.plain.samples(page(port))
                #expect(Set(before.keys) == Set(open.keys) && before.count > 100)
                #expect(before.contains { $0.key.hasPrefix("fanfare_messages_total{") && $0.value > 0 })
                let still = before.filter { after[$0.key] == $0.value }
                #expect(still.count > 100)
                let other = Set(still.filter { open[$0.key] != $0.value }.keys)
                wrong = wrong?.intersection(other) ?? other
            }
            #expect(wrong == [])
        }
    }

    private func page(_ port: Int, _ accept: String = "text/plain") async throws -> String {
        let page = try #require(await Loopback.get("/metrics", port: port, headers: ["Accept": accept]))
        #expect(page.status == 200)
        return page.body
    }

    // MARK: A dead worker

    private func expectAlertOfADeadWorker(
        _ bench: PrometheusBench, _ first: (process: ServiceBench.Process, port: Int),
        _ second: (process: ServiceBench.Process, port: Int)
    ) async throws {
        #expect(await bench.end(second.process, by: SIGKILL) == -SIGKILL)
        let labels = ", instance=\"127.0.0.1:\(second.port)\""
        try await bench.fires("FanfareWorkerDown", labels)
        let again = try await bench.start("second", port: second.port)
        try await bench.ends("FanfareWorkerDown", labels)
        for process in [first.process, again.process] {
            #expect(await bench.end(process, by: SIGTERM) == 0)
        }
    }
}
