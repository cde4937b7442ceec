import HTTPServer
import TestSupport
import Testing

@testable import Console
@testable import Store

@Suite(.timeLimit(.minutes(10))) struct StoryPageTests {
    @Test func aMessageIsToldFromItsInsertOn() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script(
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a_tag', '{\"title\": \"secret-words\"}')")
        let id = try await bench.test.number("SELECT id FROM push.message")
        let page = try await bench.console([.look, .operate]).page("/messages/\(id)")
        #expect(page.contains("Message \(id)") && page.contains("a_tag") && page.contains(">inserted</th>"))
        #expect(page.contains("A worker takes it as soon as its hub has a place."))
        #expect(page.contains("/act/cancel-messages") && page.contains("/act/erase-messages"))
        #expect(!page.contains("secret-words") && !page.contains("/act/retry-messages"))
        try await ElsewhereCheck.run(
            [Elsewhere(sql: "SELECT at, step FROM push.story_of(\(id));", command: "fanfare message show \(id)")],
            on: bench.test)
    }

    @Test func itNamesWhatItGoesWith() async throws {
        let bench = try await ConsoleBench.make()
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        try await bench.test.database.script(
            """
            INSERT INTO push.message (hub, tag, locale, content, traceparent) VALUES
                ('news', 'a_tag', 'en', '{"title": "secret-words"}', '\(trace)'),
                ('news', 'a_tag', 'fr', '{"title": "secret-words"}', '\(trace)'), ('news', 'other', NULL, '{}', NULL);
            """)
        let ids = try await bench.test.texts("SELECT id::text FROM push.message ORDER BY id")
        let page = try await bench.console([.look]).page("/messages/\(ids[0])")
        #expect(
            page.contains("1 other translation of its content") && page.contains("<a href=\"/messages/\(ids[1])\">"))
        #expect(page.contains("data-copied=\"trace\">\(trace)</pre>") && !page.contains("/messages/\(ids[2])"))
        #expect(try await !bench.console([.look]).page("/messages/\(ids[2])").contains("What it goes with"))
        let visit = Visit(person: Person("Ann", rights: [.look]), options: ConsoleOptions(), now: 0)
        let story = try #require(StoryPage(path: ["messages", ids[0]], fields: .init("")))
        let rows = StoryPage.Rows(
            status: .read(Messages.Status(id: 1, hub: "news", posts: 1)), story: .read(MessageStory(steps: [])),
            context: .read(nil))
        try await ElsewhereCheck.run(story.content(of: rows, for: visit).elsewhere, on: bench.test)
    }

    @Test func aTraceIsTextAndLongListsAreCut() throws {
        let visit = Visit(person: Person("Ann", rights: [.look]), options: ConsoleOptions(), now: 0)
        let many = Array(Int64(1)...100)
        let view = try #require(
            ContextView(MessageContext(traceparent: LookFixture.evil, translations: [7], mates: many), for: visit))
        #expect(view.mateWords == "100 or more other messages of its newest post" && view.mates.count == 100)
        #expect(view.translations.map(\.otherAddress) == ["/messages/7"])
        let message = Messages.Status(id: 1, hub: "news", posts: 1)
        let story = StoryView(message, [], MessageContext(traceparent: LookFixture.evil), for: visit)
        let html = ConsoleTemplates.page(
            PageContent(title: "", template: "story", view: story), at: nil, for: visit)
        #expect(html.contains("&lt;script&gt;") && !html.contains(LookFixture.evil))
        #expect(ContextView(MessageContext(), for: visit) == nil)
    }

    @Test(arguments: ["1", "1000000000000000000000000000000", "x", "-1", "0"])
    func anUnknownMessageIsSaidToBeOne(id: String) async throws {
        let response = try #require(try await ConsoleBench.make().console([.look]).get("/messages/\(id)"))
        #expect(response.status == 404)
        #expect(String(decoding: response.body, as: UTF8.self).contains("<a href=\"/\">Overview</a>"))
    }

    /// Buttons only where they would do something.
    @Test(arguments: [
        ("accepted", ["erase-messages"]), ("rejected", ["retry-messages", "erase-messages"]),
        ("due", ["cancel-messages", "erase-messages"]), ("posting", ["erase-messages"]),
        ("in_doubt", ["resolve-messages", "resolve-messages", "resolve-messages", "erase-messages"]),
    ])
    func itsButtonsGoByItsStatus(status: String, expected: [String]) {
        let message = Messages.Status(id: 1, hub: "news", status: status, posts: 1)
        let visit = Visit(person: Person("Ann", rights: [.look, .operate]), options: ConsoleOptions(), now: 0)
        #expect(StoryView(message, [], for: visit).actions.map(\.actionAddress) == expected.map { "/act/" + $0 })
        let looking = Visit(person: Person("Ann", rights: [.look]), options: ConsoleOptions(), now: 0)
        #expect(StoryView(message, [], for: looking).actions.isEmpty)
    }
}
