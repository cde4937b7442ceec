import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Lists of messages.
@Suite(.serialized, .timeLimit(.minutes(2))) struct MessagesTests {
    @Test func messagesAreListedNewestFirstAndFiltered() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        var message = NewMessage(hub: "news", tag: "a", content: "{}")
        message.campaign = "spring"
        let spring = try await store.messages.enqueue([message])[0].id
        #expect(try await store.messages.cancel(ids[1]) == "cancelled")
        #expect(
            try await store.messages.list(hub: nil, status: nil, campaign: nil, limit: 2).map(\.id) == [spring, ids[2]])
        #expect(
            try await store.messages.list(hub: "news", status: "cancelled", campaign: nil, limit: 9).map(\.id) == [
                ids[1]
            ])
        #expect(
            try await store.messages.list(hub: "news", status: nil, campaign: "spring", limit: 9).map(\.id) == [spring])
        #expect(try await store.messages.list(hub: "other", status: nil, campaign: nil, limit: 9) == [])
        #expect(try await store.messages.status(of: 4711) == nil)
    }
}
