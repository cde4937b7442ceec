import PushModel
import Testing

@testable import Fanout
@testable import Store

@Suite struct ClaimFactsTests {
    private func facts(_ messages: [Message]) throws -> (attempt: Int16, expiresAt: Double, onDoubt: OnDoubt?) {
        let post = try #require(Plan(messages, for: HubSettings(name: "news"), now: 0).posts.first)
        #expect(post.messages == messages.map(\.id))
        return ClaimFacts(Claim(id: 1, messages: messages, mark: .start))[post]
    }

    @Test func noContentIsGivenUpBecauseAStrangersEndIsNear() throws {
        let facts = try facts([
            Message(id: 1, attempt: 3, target: .tag("a"), content: "{}", expiresAt: 100),
            Message(id: 2, attempt: 3, target: .tag("b"), content: "{}", expiresAt: 9000),
            Message(id: 3, attempt: 3, target: .tag("c"), content: "{}", expiresAt: 50),
        ])
        #expect(facts.expiresAt == 9000)
        #expect(facts.attempt == 3)
    }

    @Test func oneMessageKeepsItsOwnFacts() throws {
        let facts = try facts([
            Message(id: 1, attempt: 2, target: .tag("a"), content: "{}", expiresAt: 100, onDoubt: .resend)
        ])
        #expect(facts == (2, 100, .resend))
    }
}
