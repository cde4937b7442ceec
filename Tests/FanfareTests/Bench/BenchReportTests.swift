import CommandLineTool
import Daemon
import Foundation
import HTTPTransport
import PushModel
import Testing

@testable import fanfare

/// What a bench says of what it has measured; pure.
@Suite struct BenchReportTests {
    /// A machine on which nothing stands out: 8,000 messages a second, half of the processors idle.
    private func facts(_ change: (inout BenchResults) -> Void = { _ in }) -> BenchResults {
        func many(_ seconds: Double) -> Samples { Samples([seconds, seconds, seconds * 3]) }
        let statements = BenchResults.Statements(
            rate: 30_000, claim: many(0.005), intent: many(0.002), completion: many(0.02), perMessage: 0.018)
        var facts = BenchResults(
            plan: BenchPlan(messages: 20_000, window: 64),
            server: .init(
                version: "15.18", ground: "database d", fsync: true, synchronousCommit: "on", isPooled: false),
            processors: 2, roundTrip: many(0.000_06), bareInsert: many(0.000_56), insert: many(0.000_7),
            insertsAtOnce: 4_000, bulk: 50_000, alone: statements, packed: statements, idle: many(0.012),
            whole: .init(
                rate: 8_000, posts: 20_000, cpuPerMessage: 0.000_07, busy: 0.5, answers: many(0.001),
                transactionsPerMessage: 0.03))
        change(&facts)
        return facts
    }

    @Test func theLowestCeilingIsTheLimit() {
        #expect(facts().limit.cause == .processors)  // 16,000 of them, before 64 / 3 ms and 30,000
        #expect(facts().limit.ceiling == 16_000)
        #expect(facts { $0.whole.busy = nil }.limit.cause == .window)
        let slowHub = facts { $0.whole.answers = Samples([0.05]) }
        #expect(slowHub.limit.cause == .window)
        #expect(abs(slowHub.limit.ceiling - 64 / 0.052) < 0.01)
        #expect(slowHub.limit.text.contains("50 ms to be answered"))
    }

    @Test func aDatabaseIsSlowForOneOfThreeReasons() {
        let disk = facts {
            $0.bareInsert = Samples([0.010_06])
            $0.alone.rate = 4_000
        }
        #expect(disk.limit.cause == .commits)
        #expect(disk.limit.text.contains("commits: one takes 10"))
        #expect(disk.limit.text.contains("72 % of the database's time"))
        let far = facts {
            $0.roundTrip = Samples([0.020])
            $0.bareInsert = Samples([0.020_5])
            $0.alone.rate = 2_000
        }
        #expect(far.limit.cause == .distance)
        #expect(far.limit.text.contains("a round trip takes 20 ms"))
        let busy = facts { $0.alone.rate = 9_000 }
        #expect(busy.limit.cause == .statements)
        #expect(busy.limit.text.contains("111 µs a message"))
    }

    @Test func thePageHasEveryFigureAndTheDocumentToo() throws {
        let page = BenchReport(facts: facts()).text
        for part in [
            "PostgreSQL 15.18, database d, fsync on, synchronous_commit on", "560 µs", "4,000", "50,000", "30,000",
            "70 µs CPU a message", "30 transactions per 1,000", "50 % busy", "8,000",
            "limit: the processors: 50 % of 2",
            "at most 1,280 posts/s",
        ] { #expect(page.contains(part), "\(part) is missing:\n\(page)") }
        let document = try JSONSerialization.jsonObject(with: Data(facts().json.document.utf8)) as? [String: Any]
        #expect(abs((document?["commit_ms"] as? Double ?? 0) - 0.5) < 1e-9)
        #expect((document?["limit"] as? [String: Any])?["cause"] as? String == "processors")
    }

    @Test func percentilesAreThoseOfTheNearestRank() {
        let samples = Samples((1...100).map(Double.init).shuffled())
        #expect([samples.median, samples.p90, samples.p99, samples.largest] == [50, 90, 99, 100])
        #expect(Samples([7]).p99 == 7 && Samples([7]).median == 7)
        #expect(Samples([]).median == 0 && Samples([]).largest == 0)
    }

    @Test func theMachineIsBusyWhenItDoesNotIdleOrWait() throws {
        let before = try #require(CPUUse.ticks("cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 1 1 1\n"))
        #expect(before.busy == 200 && before.all == 1_000)
        let then = CPUUse(process: 1, others: 0.5, machine: before)
        let now = CPUUse(process: 3, others: 1, machine: CPUUse.ticks("cpu  190 0 100 710 100 0 0 0\n"))
        #expect(now.busy(since: then) == 0.9)
        #expect(now.seconds(since: then) == 1.5)
        #expect(CPUUse.ticks("intr 1 2 3") == nil)
        #expect(CPUUse(process: 1, others: 0, machine: nil).busy(since: then) == nil)
    }

    @Test func timesAreReadableWhateverTheirSize() {
        #expect(
            [0.000_062, 0.000_999_9, 0.001_34, 0.042, 1.24, 75].map(HumanFormat.moment) == [
                "62 µs", "1.0 ms", "1.3 ms", "42 ms", "1.2 s", "75 s",
            ])
    }

    private func report(_ answers: [(Verdict, Int?)], asked: Int = 50, rate: Int = 0) -> BenchHubReport {
        var report = BenchHubReport(
            hub: "news", tag: "World", base: "https://ns.example", asked: asked, atOnce: 8, window: 64, rate: rate,
            remedies: HubRemedies(of: HubSettings(name: "news")))
        func timing(_ answer: Double, isFirst: Bool) -> Timing {
            Timing(
                lookup: isFirst ? 0.01 : 0, connect: isFirst ? 0.02 : 0, handshake: isFirst ? 0.03 : 0, answer: answer,
                isFirstOnConnection: isFirst)
        }
        for isFirst in [true, false, false] {
            report.add(looked: Answer(verdict: .accepted, status: 404), timing(0.02, isFirst: isFirst))
        }
        for (verdict, status) in answers {
            report.add(.init(answer: Answer(verdict: verdict, status: status), timing: timing(0.04, isFirst: false)))
        }
        report.seconds = 2
        report.connections = 3
        return report
    }

    @Test func aHubsReportNamesTheWayTheAnswersAndTheLimit() {
        let all = report(Array(repeating: (.accepted, 201), count: 50))
        #expect(all.failure == nil)
        #expect(all.most == 1_600)
        for part in [
            "opening a connection: 60 ms (name 10 ms, TCP 20 ms, TLS 30 ms)", "connection open: 20 ms",
            "50 of 50 accepted in 2.0 s: 25 a second with 8 at once over 3 connections", "an answer: p50 40 ms",
            "limit: the window: 64 posts", "at most 1,600 posts/s",
        ] { #expect(all.text.contains(part), "\(part) is missing:\n\(all.text)") }
        let slow = report(Array(repeating: (.accepted, 201), count: 50), rate: 100)
        #expect(slow.most == 100)
        #expect(slow.text.contains("limit: the rate: hubs.news.ratePerSecond is 100"))
    }

    @Test func whatWasNotAcceptedIsTheFailure() {
        let throttled = report([(.accepted, 201), (.throttled(after: 30, because: "hub replied 429"), 429)])
        #expect(throttled.failure?.status == .tryLater)
        #expect(throttled.failure?.complaints.first?.why == "hub replied 429; 48 of 50 were not sent")
        #expect(throttled.text.contains("1 of 50 accepted"))
        #expect(throttled.text.contains("1 throttled, 0 refused or unanswered, 48 not sent"))
        #expect(report([(.authExpired(because: "hub replied 401"), 401)]).failure?.status == .configuration)
        #expect(report([(.rejected(because: "hub replied 400"), 400)]).failure?.status == .someFailed)
    }
}
