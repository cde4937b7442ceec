import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Lists of messages.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MessagesTests {
    @Test func messagesAreListedNewestFirstAndFiltered() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        var message = NewMessage(hub: "news", tag: "a", content: "{}")
        message.campaign = "spring"
        let spring = try await store.messages.enqueue([message])[0].id
        #expect(try await store.messages.cancel(ids[1]) == "cancelled")
        #expect(
            try await store.messages.find(MessageSearch(limit: 2)).map(\.id) == [spring, ids[2]])
        var search = MessageSearch()
        (search.hub, search.status) = ("news", "cancelled")
        #expect(try await store.messages.find(search).map(\.id) == [ids[1]])
        (search.status, search.campaign) = (nil, "spring")
        #expect(try await store.messages.find(search).map(\.id) == [spring])
        search.since = .ago("1h")
        #expect(try await store.messages.find(search).map(\.id) == [spring])
        search.until = .at("2026-01-01 00:00 Europe/Paris")
        #expect(try await store.messages.find(search) == [])
        #expect(try await store.messages.time(.at("2026-01-01 00:00 Europe/Paris")).hasPrefix("2025-12-31T23:00:00"))
        search = MessageSearch()
        search.hub = "other"
        #expect(try await store.messages.find(search) == [])
        #expect(try await store.messages.status(of: 4711) == nil)
    }
}
