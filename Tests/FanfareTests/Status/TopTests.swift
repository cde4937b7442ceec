import ProgramSupport
import Foundation
import Store
import Testing

@testable import fanfare

@Suite struct TopTests {
    private static func look(accepted: Int64, at: Double, before: (accepted: Int64, at: Double)?) throws -> TopSnapshot
    {
        let overview = try JSONDecoder().decode(
            SystemStatus.self,
            from: Data(
                """
                {"hubs": [{"hub": "news", "state": "open", "due": 12, "later": 0, "waiting": 75, "key": "primary",
                           "workers": 1}],
                 "workers": [], "lastHour": [], "inDoubt": 0}
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

    @Test func onceShowsOnePictureWithRates() async throws {
        let site = try await Site.make()
        try await site.execute(
            """
            INSERT INTO push.tally SELECT id, date_trunc('minute', now()), 'accepted', 'taken_by_hub', 12 FROM push.hub;
            SELECT push.register_v1('host/1', '1.2.3', 15);
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
            #expect(document?.keys.sorted() == ["hubs", "in_doubt", "workers"])
        }
    }
}
