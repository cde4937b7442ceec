import Foundation
import Testing

@testable import HubEmulator

/// `/_emulator/events` and `/_emulator/page/events`.
@Suite struct EventRoutesTests {
    /// Reads a stream until it contains a text.
    private func read(_ client: Client, until text: String, times: Int = 1) async throws -> String {
        var bytes: [UInt8] = []
        while true {
            bytes += try await client.some()
            let received = String(decoding: bytes, as: UTF8.self)
            if received.split(separator: text, omittingEmptySubsequences: false).count > times { return received }
        }
    }

    private func open(_ fixture: EmulatorFixture, _ path: String, _ headers: [String: String] = [:]) async throws
        -> Client
    {
        let client = try fixture.client()
        try await client.write(fixture.request("GET", "/_emulator/\(path)", token: "", headers: headers))
        return client
    }

    @Test func everySendIsPrecededByItsPushes() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("a", ["World"]), at: "news")
            let client = try await open(fixture, "events")
            let hello = try await read(client, until: #""number":0"#)
            #expect(hello.contains("text/event-stream") && hello.contains("retry: 1000\n"))
            #expect(hello.lowercased().contains("cache-control: no-store"))
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            let events = try await read(client, until: "event: send\nid: 1\n")
            let push = try #require(events.firstRange(of: "event: push\n"))
            let send = try #require(events.firstRange(of: "event: send\n"))
            #expect(push.lowerBound < send.lowerBound)
        }
    }

    @Test func aReconnectingClientGetsTheRest() async throws {
        try await EmulatorFixture.run { fixture in
            for number in 1...5 { #expect(try await fixture.exchange(fixture.send(to: "t\(number)")).status == 201) }
            let client = try await open(fixture, "events", ["Last-Event-ID": "3"])
            let events = try await read(client, until: "id: 5\n")
            #expect(events.contains("id: 4\n") && !events.contains("id: 3\n"))
            // A number from an earlier emulator: everything is sent.
            let other = try await open(fixture, "events", ["Last-Event-ID": "99"])
            #expect(try await read(other, until: "id: 5\n").contains("id: 1\n"))
        }
    }

    @Test func droppedEntriesAreReportedAsAGap() async throws {
        try await EmulatorFixture.run { settings in
            settings.keptEntries = 2
        } _: { fixture in
            for number in 1...5 { #expect(try await fixture.exchange(fixture.send(to: "t\(number)")).status == 201) }
            let client = try await open(fixture, "events?since=1")
            let events = try await read(client, until: "id: 5\n")
            #expect(events.contains("event: gap\ndata: {\"after\":1,\"until\":3}\n"))
        }
    }

    @Test func aFilterExcludesOtherSends() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("a", ["World"]), at: "news")
            let client = try await open(fixture, "events?tag=world&since=0")
            for tag in ["Nobody", "World"] { #expect(try await fixture.exchange(fixture.send(to: tag)).status == 201) }
            let events = try await read(client, until: "id: 2\n")
            #expect(!events.contains("id: 1\n"))
        }
    }

    @Test func theStreamEndsWithTheEmulator() async throws {
        try await EmulatorFixture.run { fixture in
            let client = try await open(fixture, "events")
            _ = try await read(client, until: "hello")
            await fixture.emulator.stop()
            _ = await client.ending()
        }
    }

    @Test func thePageGetsRenderedFragments() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("a", ["World"]), at: "news")
            let client = try await open(fixture, "page/events")
            _ = try await read(client, until: "event: counts")
            #expect(try await fixture.exchange(fixture.send(to: "World", #"{"m":"<b>x</b>"}"#)).status == 201)
            let events = try await read(client, until: "event: send")
            #expect(events.contains(#"data-phone="news/device/a""#))
            #expect(
                try await fixture.exchange(fixture.request("DELETE", "/_emulator/journal", token: "")).status == 204)
            _ = try await read(client, until: "event: refresh")
            #expect(events.contains("&lt;b&gt;x&lt;/b&gt;") && !events.contains("<b>x"))
        }
    }

    /// A phone found by its name went on without its notifications.
    @Test(arguments: ["text=ALI", "text=u1", "text=World", "tag=world", "text=hello"])
    func aFilteredPageGetsThePushesOfItsPhones(filter: String) async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("alice", ["World"], user: "u1"), at: "news")
            let client = try await open(fixture, "page/events?\(filter)")
            _ = try await read(client, until: "event: counts")
            #expect(try await fixture.exchange(fixture.send(to: "World", #"{"m":"Hello"}"#)).status == 201)
            let events = try await read(client, until: "event: send")
            #expect(events.contains(#"data-phone="news/device/alice""#))
        }
    }

    /// It stayed as it was: the inbox was cleared after the page was rendered and before it asked for events.
    @Test func aPageIsToldOfAnInboxClearedSinceItWasRendered() async throws {
        try await EmulatorFixture.run { fixture in
            let page = try await fixture.exchange(fixture.request("GET", "/", token: "")).body
            let events = try #require(page.firstMatch(of: /data-events="\/_emulator\/([^"]*)"/)).output.1
            let cleared = try await fixture.exchange(
                fixture.request("DELETE", "/_emulator/devices/a/inbox?hub=news", token: ""))
            #expect(cleared.status == 204)
            let client = try await open(fixture, String(events))
            _ = try await read(client, until: "event: refresh")
        }
    }

    @Test func thePageIsToldOfClearedInboxesAndTheClock() async throws {
        try await EmulatorFixture.run { fixture in
            let client = try await open(fixture, "page/events")
            _ = try await read(client, until: "event: counts")
            #expect(
                try await fixture.exchange(
                    fixture.request("DELETE", "/_emulator/devices/a/inbox?hub=news", token: "")
                ).status == 204)
            _ = try await read(client, until: "event: refresh")
            try fixture.emulator.advance(by: 3_600)
            let moved = try await read(client, until: "event: clock")
            #expect(!moved.contains("event: refresh"))
        }
    }
}
