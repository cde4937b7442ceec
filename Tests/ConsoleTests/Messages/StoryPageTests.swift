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
