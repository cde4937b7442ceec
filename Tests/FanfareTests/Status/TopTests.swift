import ProgramSupport
import Foundation
import Store
import Testing

@testable import fanfare

@Suite struct TopTests {
    private static func look(
        accepted: Int64, at: Double, before: (accepted: Int64, at: Double)?, why: String = "", lastHour: String = ""
    ) throws -> TopSnapshot {
        let overview = try JSONDecoder().decode(
            SystemStatus.self,
            from: Data(
                """
                {"hubs": [{"hub": "news", "kind": "notification-hubs", "state": "open", "due": 12,
                           "moreDue": false, "later": 0, "moreLater": false, "waiting": 75, "key": "primary", "workers": 1, "why": "\(why)"}],
                 "workers": [], "lastHour": [\(lastHour)], "inDoubt": 0, "moreInDoubt": false}
                """.utf8))
        return TopSnapshot(
            overview: overview, totals: ResultCounts(results: ["news": ["accepted": accepted]]), at: at,
            before: before.map { .init(totals: ResultCounts(results: ["news": ["accepted": $0.accepted]]), at: $0.at) })
    }

    @Test func aRateIsWhatCameBetweenTwoLooks() throws {
        #expect(try Self.look(accepted: 500, at: 10, before: nil).rates(of: "news") == nil)
        let rates = try Self.look(accepted: 500, at: 12, before: (300, 10)).rates(of: "news")
        #expect(rates == TopSnapshot.Rates(accepted: 100, failed: 0, retrying: 0))
        #expect(TopScreen.rate(99.96) == "100")
        #expect(TopScreen.rate(0.25) == "0.3")
        #expect(TopScreen.rate(3) == "3")
        #expect(TopScreen.rate(nil) == "-")
    }

    @Test func aScreenHoldsWhatFitsAndNoMore() throws {
        let look = try Self.look(accepted: 500, at: 12, before: (300, 10))
        let screen = TopScreen(columns: 80, rows: 24).lines(of: look, title: "title")
        #expect(screen.first == "title")
        #expect(screen.contains { $0.contains("news") && $0.contains("100") && $0.contains("1 min") })
        #expect(screen.contains("no worker is running: messages wait"))
        let small = TopScreen(columns: 20, rows: 4).lines(of: look, title: "a title longer than that")
        #expect(small.count == 4)
        #expect(small.allSatisfy { $0.count <= 20 })
    }

    /// At 80 columns there is no room for what all hubs have in common.
    @Test func theKindOfAHubIsShownWhereThereAreSeveral() throws {
        var look = try Self.look(accepted: 500, at: 12, before: (300, 10))
        func lines() -> [String] { TopScreen(columns: 120, rows: 24).lines(of: look, title: "title") }
        #expect(!lines().contains { $0.contains("KIND") })
        look.overview.hubs.append(look.overview.hubs[0])
        look.overview.hubs[1].kind = "fcm"
        #expect(lines().contains { $0.hasPrefix("HUB   KIND") } && lines().contains { $0.hasPrefix("news  fcm") })
    }

    /// WHY is the cell one came for: at 80 columns it was cut to nine characters.
    @Test func aLongReasonIsReadableAtEightyColumns() throws {
        let why =
            "the hub answered 401: the key of the connection string in the settings is not one of its keys any more"
        let look = try Self.look(accepted: 500, at: 12, before: (300, 10), why: why)
        let lines = TopScreen(columns: 80, rows: 24).lines(of: look, title: "title")
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines.joined(separator: "\n"))")
        let words = why.split(separator: " ")
        let text = lines.joined(separator: " ")
        #expect(words.allSatisfy { text.contains($0) }, "\(lines.joined(separator: "\n"))")
        #expect(lines.contains { $0.contains("news") && $0.contains("100") && $0.contains("1 min") })
    }

    /// `status` lists everything that ended in the last hour under LAST HOUR.
    @Test func whatEndedBadlyIsCalledSo() throws {
        let counts = """
            {"hub": "news", "status": "accepted", "reason": "taken_by_hub", "results": 4000},
            {"hub": "news", "status": "rejected", "reason": "bad_request", "results": 3}
            """
        let look = try Self.look(accepted: 500, at: 12, before: (300, 10), lastHour: counts)
        let lines = TopScreen(columns: 80, rows: 24).lines(of: look, title: "title")
        #expect(lines.contains { $0.hasPrefix("FAILED, LAST HOUR  STATUS") }, "\(lines)")
        #expect(lines.contains { $0.contains("bad_request") })
        #expect(!lines.contains { $0.contains("taken_by_hub") })
    }

    @Test func whyDevicesWaitIsReadableAtEightyColumns() throws {
        var look = try Self.look(accepted: 500, at: 12, before: (300, 10))
        let title = "DEVICES AT"
        #expect(
            !TopScreen(columns: 80, rows: 24).lines(of: look, title: "title").contains { $0.hasPrefix(title) })
        let why =
            "hub replied 401. The hub takes messages with this key: to register devices it needs the right Listen."
        look.overview.hubs[0].devices = .init(
            state: "closed", why: why, until: "2026-11-23T08:00:00Z", due: 12_345, later: 678, waiting: 3_700,
            refused: 9)
        let lines = TopScreen(columns: 80, rows: 24).lines(of: look, title: "title")
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines.joined(separator: "\n"))")
        #expect(lines.contains { $0.hasPrefix(title) })
        #expect(lines.contains { $0.hasPrefix("news") && $0.contains("12345") && $0.contains("1 h 1 min") })
        let text = lines.joined(separator: " ")
        #expect(why.split(separator: " ").allSatisfy { text.contains($0) }, "\(lines.joined(separator: "\n"))")
    }

    @Test func onceShowsOnePictureWithRates() async throws {
        let site = try await Site.make()
        try await site.execute(
            """
            INSERT INTO push.tally SELECT id, date_trunc('minute', now()), 'accepted', 'taken_by_hub', 12 FROM push.hub;
            SELECT push_worker.register_v1('host/1', '1.2.3', 15);
            """)
        let ended = try await site.fanfare("top", "--once", "--interval", "0.2")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains("SENT/S"))
        #expect(ended.output.contains("host/1"))
        #expect(!ended.output.contains("\u{1B}"), "this is no terminal")
        #expect(ended.output.ranges(of: "HUB ").count == 1)
    }

    @Test func jsonIsOneDocumentALine() async throws {
        let site = try await Site.make()
        let top = try RunningProgram(site.fanfare, "top", "--json", "--interval", "0.2")
        let output = try await top.printed("\n", times: 2)
        top.signal(SIGTERM)
        _ = await top.end
        let lines = output.split(separator: "\n")
        for line in lines.prefix(2) {
            let document = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(document?.keys.sorted() == ["hubs", "in_doubt", "more_in_doubt", "workers"])
        }
    }
}
