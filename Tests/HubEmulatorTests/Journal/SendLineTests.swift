import Testing

@testable import HubEmulator

/// What `fanfare-emulator` prints for a send.
@Suite struct SendLineTests {
    private func words(_ kind: SendKind, tags: String? = nil, handles: Int? = nil, refusal: String? = nil) -> String {
        let entry = JournalEntry(
            number: 1, hub: "news", kind: kind, at: 0, elapsed: 0, status: refusal == nil ? 201 : 400,
            taken: refusal == nil, tags: tags, handles: handles, reached: 2, refusal: refusal)
        // Without the time, which depends on the time zone.
        return SendLine(entry).text.split(separator: "  ").dropFirst().joined(separator: " | ")
    }

    @Test func everyKindOfSendShowsItsAudience() {
        #expect(words(.send, tags: "World") == "news | 201 | World | 2 notifications")
        #expect(words(.send) == "news | 201 | (all devices) | 2 notifications")
        #expect(words(.send, tags: "") == "news | 201 | (no device) | 2 notifications")
        #expect(words(.test, tags: "World") == "news | 201 | World | test | 2 notifications")
        #expect(words(.scheduled, tags: "World") == "news | 201 | World | scheduled")
        #expect(words(.scheduled, tags: "World", refusal: "no") == "news | 400 | World | scheduled | no")
        #expect(words(.due, tags: "World") == "news | 201 | World | due | 2 notifications")
        #expect(words(.direct, handles: 1) == "news | 201 | (1 handle) | 2 notifications")
        #expect(words(.batch, handles: 1_000) == "news | 201 | (1000 handles) | 2 notifications")
        #expect(words(.batch, refusal: "no") == "news | 400 | (handles) | no")
    }
}
