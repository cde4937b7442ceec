import PushModel
import Testing

@testable import PushWorker
@testable import Store

@Suite struct PostAttributesTests {
    private func attributes(_ messages: [Message]) throws -> (attempt: Int16, expiresAt: Double, onDoubt: OnDoubt) {
        let post = try #require(Plan(messages, for: HubSettings(name: "news"), now: 0).posts.first)
        #expect(post.messages == messages.map(\.id))
        return PostAttributes(Claim(id: 1, messages: messages, position: .start), onDoubt: .hold)[post]
    }

    @Test func aPostLivesAsLongAsTheLastOfItsMessages() throws {
        let attributes = try attributes([
            Message(id: 1, attempt: 3, target: .tag("a"), content: "{}", expiresAt: 100),
            Message(id: 2, attempt: 3, target: .tag("b"), content: "{}", expiresAt: 9000),
            Message(id: 3, attempt: 3, target: .tag("c"), content: "{}", expiresAt: 50),
        ])
        #expect(attributes.expiresAt == 9000)
        #expect(attributes.attempt == 3)
    }

    @Test func aSingleMessageKeepsItsOwnAttributes() throws {
        let attributes = try attributes([
            Message(id: 1, attempt: 2, target: .tag("a"), content: "{}", expiresAt: 100, onDoubt: .resend)
        ])
        #expect(attributes == (2, 100, .resend))
    }

    /// `hold` of one message protects all in its post, in any order. A message without a value has the hub's.
    @Test(arguments: [
        ([OnDoubt?.none, .resend], OnDoubt.hold, OnDoubt.hold), ([.resend, nil], .hold, .hold),
        ([.resend, .resend], .hold, .resend), ([nil, nil], .resend, .resend), ([nil, .hold], .resend, .hold),
        ([.hold, nil], .resend, .hold), ([nil, .resend], .resend, .resend),
    ])
    func theMostCarefulMessageDecides(own: [OnDoubt?], hub: OnDoubt, expected: OnDoubt) {
        let messages = own.enumerated().map { n, onDoubt in
            Message(id: Int64(n), attempt: 0, target: .tag("t\(n)"), content: "{}", expiresAt: 100, onDoubt: onDoubt)
        }
        // Translations of one content always share a post; other messages are not packed with different values.
        let post = Post(messages: messages.map(\.id), target: .tag("World"), body: Array("{}".utf8))
        let attributes = PostAttributes(Claim(id: 1, messages: messages, position: .start), onDoubt: hub)[post]
        #expect(attributes.onDoubt == expected)
    }

    @Test func aPostIsLateWithTheFirstOfItsMessages() throws {
        let messages = [100.0, 200].enumerated().map { n, end in
            Message(id: Int64(n), attempt: 0, target: .tag("t\(n)"), content: "{}", expiresAt: end)
        }
        let post = try #require(Plan(messages, for: HubSettings(name: "news"), now: 0).posts.first)
        let attributes = PostAttributes(Claim(id: 1, messages: messages, position: .start), onDoubt: .hold)
        #expect(!attributes.isLate(post, now: 99))
        #expect(attributes.isLate(post, now: 100))
    }
}
