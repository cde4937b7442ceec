import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct HTTPClientShutdownTests {
    @Test func everyRequestInFlightIsAnsweredTruthfully() async throws {
        let server = try LoopbackServer { peer in
            let body = peer.read()?.text
            if body == "status" { peer.send("HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nhalf") }
            peer.waitForClose()
        }
        var settings = TransportSettings.patient
        settings.slots = 2
        let client = try HTTPClient(settings)
        let channel = client.channel()
        channel.submit([
            request(1, to: server.url, body: "silence"), request(2, to: server.url, body: "silence"),
            request(3, to: server.url, body: "waits for a slot"),
        ])
        async let single = client.perform(request(4, to: server.url, body: "waits too"))
        await server.received.wait(for: 2)
        await client.shutdown()

        var replies: [Int64: Reply] = [:]
        while case let more = await channel.replies(), !more.isEmpty {
            for reply in more { #expect(replies.updateValue(reply, forKey: reply.id) == nil) }
        }
        #expect(replies.count == 3)
        #expect(replies[1]?.unknown == .shutDown)
        #expect(replies[2]?.unknown == .shutDown)
        #expect(replies[3]?.notSent == .shutDown)
        #expect(await single.notSent == .shutDown)
        #expect(client.counters.unknown == 2)
        #expect(client.counters.notSent == 2)
        #expect(server.received.count == 2)
    }

    /// The handle of the second request carried the first one and still shows its 201.
    @Test func aRequestAbandonedBeforeItBeganIsNotAnswered() async throws {
        let server = try LoopbackServer { peer in
            while peer.read() != nil { peer.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n") }
        }
        var settings = TransportSettings.patient
        settings.slots = 1
        var answered = 0
        for _ in 1...100 {
            let client = try HTTPClient(settings)
            let channel = client.channel()
            #expect(await client.perform(request(1, to: server.url)).response?.status == 201)
            channel.submit([request(2, to: server.url)])
            await client.shutdown()
            let reply = try #require(await channel.replies().first)
            answered += 1 + (reply.response == nil ? 0 : 1)
        }
        #expect(answered <= server.received.count)
    }

    @Test func laterRequestsAreNotSentAndChannelsEnd() async throws {
        let client = try HTTPClient(.patient)
        let channel = client.channel()
        await client.shutdown()
        await client.shutdown()
        #expect(await channel.replies().isEmpty)
        channel.submit([request(9, to: "https://ns.example/")])
        #expect(await channel.replies().first?.notSent == .shutDown)
        #expect(await channel.replies().isEmpty)
        #expect(await client.perform(request(8, to: "https://ns.example/")).notSent == .shutDown)
        #expect(await client.channel().replies().isEmpty)
    }

    @Test func manyTasksMayShutDownAtOnce() async throws {
        let client = try HTTPClient(.patient)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await client.shutdown() } }
        }
        #expect(client.counters.cpuSeconds >= 0)
    }

    @Test func aClientWithoutReferencesAnswersItsRequests() async throws {
        let server = try LoopbackServer { peer in
            peer.read()
            peer.waitForClose()
        }
        var client: HTTPClient? = try HTTPClient(.patient)
        let channel = try #require(client?.channel())
        channel.submit([request(1, to: server.url)])
        await server.received.wait(for: 1)
        client = nil
        #expect(await channel.replies().first?.unknown == .shutDown)
        #expect(await channel.replies().isEmpty)
    }
}
