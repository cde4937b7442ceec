import Foundation
import Testing

@testable import HubEmulator

/// `/_emulator/events`: what happens, as it happens.
@Suite struct EventTests {
    /// Reads a stream until it has said something.
    private func read(_ client: Client, until text: String, times: Int = 1) async throws -> String {
        var bytes: [UInt8] = []
        while true {
            bytes += try await client.some()
            let said = String(decoding: bytes, as: UTF8.self)
            if said.split(separator: text, omittingEmptySubsequences: false).count > times { return said }
        }
    }

    private func open(_ bench: Bench, _ path: String, _ headers: [String: String] = [:]) async throws -> Client {
        let client = try bench.client()
        try await client.write(bench.request("GET", "/_emulator/\(path)", token: "", headers: headers))
        return client
    }

    @Test func everySendComesWithItsPushes() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(InboxTests.device("a", ["World"]), at: "news")
            let client = try await open(bench, "events")
            let hello = try await read(client, until: #""number":0"#)
            #expect(hello.contains("text/event-stream") && hello.contains("retry: 1000\n"))
            #expect(hello.lowercased().contains("cache-control: no-store"))
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            let events = try await read(client, until: "event: send\nid: 1\n")
            let push = try #require(events.firstRange(of: "event: push\n"))
            let send = try #require(events.firstRange(of: "event: send\n"))
            #expect(push.lowerBound < send.lowerBound)
        }
    }

    @Test func whoComesBackGetsTheRest() async throws {
        try await Bench.run { bench in
            for number in 1...5 { #expect(try await bench.exchange(bench.send(to: "t\(number)")).status == 201) }
            let client = try await open(bench, "events", ["Last-Event-ID": "3"])
            let events = try await read(client, until: "id: 5\n")
            #expect(events.contains("id: 4\n") && !events.contains("id: 3\n"))
            // A number of an emulator that was here before: everything is news.
            let other = try await open(bench, "events", ["Last-Event-ID": "99"])
            #expect(try await read(other, until: "id: 5\n").contains("id: 1\n"))
        }
    }

    @Test func whatIsForgottenIsSaid() async throws {
        try await Bench.run { settings in
            settings.keptEntries = 2
        } _: { bench in
            for number in 1...5 { #expect(try await bench.exchange(bench.send(to: "t\(number)")).status == 201) }
            let client = try await open(bench, "events?since=1")
            let events = try await read(client, until: "id: 5\n")
            #expect(events.contains("event: gap\ndata: {\"after\":1,\"until\":3}\n"))
        }
    }

    @Test func aFilterLeavesOtherSendsOut() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(InboxTests.device("a", ["World"]), at: "news")
            let client = try await open(bench, "events?tag=world&since=0")
            for tag in ["Nobody", "World"] { #expect(try await bench.exchange(bench.send(to: tag)).status == 201) }
            let events = try await read(client, until: "id: 2\n")
            #expect(!events.contains("id: 1\n"))
        }
    }

    @Test func theStreamEndsWithTheEmulator() async throws {
        try await Bench.run { bench in
            let client = try await open(bench, "events")
            _ = try await read(client, until: "hello")
            await bench.emulator.stop()
            _ = await client.ending()
        }
    }

    @Test func thePageGetsItsPieces() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(InboxTests.device("a", ["World"]), at: "news")
            let client = try await open(bench, "page/events")
            _ = try await read(client, until: "event: counts")
            #expect(try await bench.exchange(bench.send(to: "World", #"{"m":"<b>x</b>"}"#)).status == 201)
            let events = try await read(client, until: "event: send")
            #expect(events.contains(#"data-phone="news/device/a""#))
            #expect(try await bench.exchange(bench.request("DELETE", "/_emulator/journal", token: "")).status == 204)
            _ = try await read(client, until: "event: reload")
            #expect(events.contains("&lt;b&gt;x&lt;/b&gt;") && !events.contains("<b>x"))
        }
    }

    @Test func aLineBreakInDataStaysInItsEvent() {
        #expect(
            Event("x", "a\nb\r\nc\rd\u{2028}e", id: 3).text
                == "event: x\nid: 3\ndata: a\ndata: b\ndata: c\ndata: d\u{2028}e\n\n")
    }
}
