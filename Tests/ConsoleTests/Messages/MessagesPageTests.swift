import HTTPServer
import Pages
import Store
import TestSupport
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(10))) struct MessagesPageTests {
    /// Messages with tags `t1`, `t2`, …, each with a content that no page may show.
    private func bench(_ count: Int = 3) async throws -> ConsoleBench {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script(
            """
            INSERT INTO push.message (hub, tag, content, campaign)
            SELECT 'news', 't' || g, '{"title": "secret-words"}', CASE WHEN g = 1 THEN 'spr<ing>' END
              FROM generate_series(1, \(count)) g ORDER BY g;
            """)
        return bench
    }

    @Test func messagesAreListedFromTheNewestOnWithoutWhatTheySay() async throws {
        let page = try await bench().console([.look]).page("/messages")
        let places = ["t3", "t2", "t1"].map { page.firstRange(of: ">\($0)</td>")?.lowerBound }
        #expect(places.allSatisfy { $0 != nil } && places.compactMap(\.self) == places.compactMap(\.self).sorted())
        #expect(page.contains("<span class=\"state waits\">due</span>") && page.contains("spr&lt;ing&gt;"))
        #expect(!page.contains("secret-words") && !page.contains("spr<ing>"))
        #expect(page.contains("3 messages in all with these filters."))
    }

    @Test func eachFilterCounts() async throws {
        let console = try await bench().console([.look])
        func tags(_ query: String) async throws -> Set<String> {
            let page = try await console.page("/messages?\(query)")
            return Set(["t1", "t2", "t3"].filter { page.contains(">\($0)</td>") })
        }
        #expect(try await tags("tag=t2") == ["t2"])
        #expect(try await tags("campaign=spr%3Cing%3E") == ["t1"])
        #expect(try await tags("status=due&hub=news") == ["t1", "t2", "t3"])
        #expect(try await tags("status=accepted") == [])
        #expect(try await tags("since=2d") == ["t1", "t2", "t3"])
        #expect(try await tags("until=2d") == [])
    }

    @Test(arguments: [
        ("id=1000000000000000000000000000000", "No id is as large as"), ("since=soon", "since"),
        ("colour=red", "colour"),
        ("status=lost", "lost"), ("hub=nothing", "nothing"),
    ])
    func whatCannotBeReadIsRefusedAtItsField(query: String, words: String) async throws {
        let response = try #require(try await bench().console([.look]).get("/messages?\(query)"))
        #expect(response.status == 400)
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(page.contains(words) && page.contains("state bad"))
    }

    /// Rows of one second, too (good_job #1725): the next page begins behind an id.
    @Test func noMessageIsLostBetweenPages() async throws {
        let console = try await bench(120).console([.look])
        var address: String? = "/messages?hub=news"
        var seen: [Int] = []
        while let next = address {
            let page = try await console.page(next)
            seen += page.matches(of: />t([0-9]+)<\/td>/).compactMap { Int($0.1) }
            let link = page.firstMatch(of: /<a href="([^"]*)" rel="next">/)
            address = link.map { String($0.1).replacing("&amp;", with: "&") }
        }
        #expect(seen == Array((1...120).reversed()))
    }

    @Test func onlyAPersonWhoMayActCanChooseMessages() async throws {
        let bench = try await bench()
        #expect(try await !bench.console([.look]).page("/messages").contains("type=\"checkbox\""))
        let page = try await bench.console([.look, .operate]).page("/messages")
        #expect(page.contains("type=\"checkbox\"") && page.contains("formaction=\"/act/retry-messages\""))
    }

    @Test func chosenMessagesAreCancelledAfterTheQuestion() async throws {
        let bench = try await bench()
        let ids = try await bench.test.texts("SELECT id::text FROM push.message ORDER BY id")
        let console = bench.console([.look, .operate])
        let question = try await console.ask(
            "/act/cancel-messages", fields: [("id", ids[0]), ("deed", "cancel"), ("id", ids[1])])
        #expect(question.page.contains("Cancel 2 messages?") && question.page.contains("2 are due"))
        #expect(try await console.carryOut(question).changed == 2)
        #expect(
            try await bench.test.texts("SELECT status::text FROM push.message_status ORDER BY id")
                == ["cancelled", "cancelled", "due"])
    }

    @Test func theSameInSQLAndAsACommandRuns() async throws {
        let bench = try await bench()
        for query in ["", "hub=news&status=due&tag=it%27s&since=2d&campaign=-x&dedupe_key=k", "id=1"] {
            try await ElsewhereCheck.run(
                [MessageFilter(FormFields(query[...])).elsewhere].map { elsewhere in
                    // One message that is not there ends with another status.
                    Elsewhere(sql: elsewhere.sql, command: query == "id=1" ? nil : elsewhere.command)
                }, on: bench.test)
        }
    }

    @Test func thePageSaysHowFarItLooked() {
        var page = MessagePage()
        page.isEnd = false
        page.lookedTo = 7
        page.lookedBackTo = "2027-01-01T00:00:00Z"
        #expect(
            MessagesView.words(page, before: nil)
                == "0 messages down to id 7, enqueued 2027-01-01T00:00:00Z. Older ones were not looked at.")
        page.isEnd = true
        #expect(MessagesView.words(page, before: 9) == "0 messages, and no older one.")
    }
}
