import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(1))) struct ShutdownTests {
    @Test func everythingInFlightIsAnsweredTruthfully() async throws {
        let server = try LoopbackServer { peer in
            let body = peer.read()?.text
            if body == "status" { peer.send("HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nhalf") }
            peer.waitForClose()
        }
        var settings = TransportSettings.patient
        settings.slots = 2
        let loop = try HTTPClient(settings)
        let channel = loop.channel()
        channel.submit([
            request(1, to: server.url, body: "silence"), request(2, to: server.url, body: "silence"),
            request(3, to: server.url, body: "waits for a slot"),
        ])
        async let single = loop.perform(request(4, to: server.url, body: "waits too"))
        await server.received.wait(for: 2)
        await loop.shutdown()

        var replies: [Int64: Reply] = [:]
        while case let more = await channel.replies(), !more.isEmpty {
            for reply in more { #expect(replies.updateValue(reply, forKey: reply.id) == nil) }
        }
        #expect(replies.count == 3)
        #expect(replies[1]?.unknown == .shutDown)
        #expect(replies[2]?.unknown == .shutDown)
        #expect(replies[3]?.notSent == .shutDown)
        #expect(await single.notSent == .shutDown)
        #expect(loop.counters.unknown == 2)
        #expect(loop.counters.notSent == 2)
        #expect(server.received.count == 2)
    }

    /// The handle of the second request carried the first one and still shows its 201.
    @Test func whatWasGivenUpBeforeItBeganIsNotSaidToBeAnswered() async throws {
        let server = try LoopbackServer { peer in
            while peer.read() != nil { peer.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n") }
        }
        var settings = TransportSettings.patient
        settings.slots = 1
        var answered = 0
        for _ in 1...100 {
            let loop = try HTTPClient(settings)
            let channel = loop.channel()
            #expect(await loop.perform(request(1, to: server.url)).response?.status == 201)
            channel.submit([request(2, to: server.url)])
            await loop.shutdown()
            let reply = try #require(await channel.replies().first)
            answered += 1 + (reply.response == nil ? 0 : 1)
        }
        #expect(answered <= server.received.count)
    }

    @Test func afterwardsRequestsAreAnsweredNotSentAndOutletsSayTheEnd() async throws {
        let loop = try HTTPClient(.patient)
        let channel = loop.channel()
        await loop.shutdown()
        await loop.shutdown()
        #expect(await channel.replies().isEmpty)
        channel.submit([request(9, to: "https://ns.example/")])
        #expect(await channel.replies().first?.notSent == .shutDown)
        #expect(await channel.replies().isEmpty)
        #expect(await loop.perform(request(8, to: "https://ns.example/")).notSent == .shutDown)
        #expect(await loop.channel().replies().isEmpty)
    }

    @Test func aWaitingConsumerIsToldTheEnd() async throws {
        let loop = try HTTPClient(.patient)
        let channel = loop.channel()
        async let replies = channel.replies()
        await loop.shutdown()
        #expect(await replies.isEmpty)
    }

    @Test func manyMayAskForTheEndAtOnce() async throws {
        let loop = try HTTPClient(.patient)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await loop.shutdown() } }
        }
        #expect(loop.counters.cpuSeconds >= 0)
    }

    @Test func aLoopThatIsLetGoAnswersWhatItHolds() async throws {
        let server = try LoopbackServer { peer in
            peer.read()
            peer.waitForClose()
        }
        var loop: HTTPClient? = try HTTPClient(.patient)
        let channel = try #require(loop?.channel())
        channel.submit([request(1, to: server.url)])
        await server.received.wait(for: 1)
        loop = nil
        #expect(await channel.replies().first?.unknown == .shutDown)
        #expect(await channel.replies().isEmpty)
    }
}
