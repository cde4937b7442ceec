import Dispatch
import Testing

@testable import HTTPTransport

/// Servers that say nothing.
@Suite(.timeLimit(.minutes(10))) struct SilenceTests {
    private static func quick(_ settings: inout TransportSettings) {
        settings.http2 = HTTP2Settings()
        settings.http2?.pingAfter = .seconds(1)
        settings.http2?.pingTimeout = .milliseconds(100)
    }

    /// Returns when a second has passed by the clock of the loops: a connection of another client has been idle for so long.
    private static func aSecondPasses() async throws {
        let closed = Events<Bool>()
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            while let request = frames.next() { frames.answer(request.stream) }
            closed.add(true)
        }
        try await withHTTP2Client({ $0.http2?.idleLife = .seconds(1) }) { client in
            #expect(await client.perform(request(to: server.url)).status == 200)
            await closed.wait(for: 1)
        }
    }

    /// One stream of ten that gets no answer: it alone is in doubt, and the connection goes on.
    @Test func oneStreamThatTimesOutLeavesItsNeighboursAlone() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer), let first = frames.next() else { return }
            frames.answer(first.stream)
            let streams = frames.next(10).map(\.stream)
            for stream in streams where stream != streams[4] { frames.answer(stream) }
            while let request = frames.next() { frames.answer(request.stream) }
            #expect(frames.resets.map(\.stream) == [streams[4]] && frames.resets.first?.code == 8)
        }
        try await withHTTP2Client({ $0.timeout = .seconds(1) }) { client in
            #expect(await client.perform(request(0, to: server.url)).status == 200)
            let channel = client.channel()
            channel.submit((1...10).map { request($0, to: server.url, body: "\($0)") })
            var replies: [Reply] = []
            while replies.count < 10 { replies += await channel.replies() }
            #expect(replies.filter { $0.status == 200 }.count == 9)
            #expect(replies.compactMap(\.unknown).map(\.code) == [28])
            #expect(await client.perform(request(11, to: server.url)).status == 200)
            #expect(client.counters.connectionsOpened == 1)
        }
    }

    /// Two in a row: nothing says that it still works.
    @Test func aConnectionOnWhichTwoRequestsTimeOutIsNotUsedAgain() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer), let first = frames.next() else { return }
            frames.answer(first.stream)
            while let request = frames.next() { if peer.number > 1 { frames.answer(request.stream) } }
        }
        try await withHTTP2Client({ $0.timeout = .seconds(1) }) { client in
            #expect(await client.perform(request(0, to: server.url)).status == 200)
            for id in 1...2 as ClosedRange<Int64> {
                #expect(await client.perform(request(id, to: server.url)).unknown?.code == 28)
            }
            #expect(await client.perform(request(3, to: server.url)).status == 200)
            #expect(client.counters.connectionsOpened == 2)
        }
    }

    @Test func aSilentConnectionIsPingedBeforeItCarriesARequestAndIdleItIsNot() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            while let request = frames.next() { frames.answer(request.stream, body: "\(frames.pings)") }
        }
        try await withHTTP2Client(Self.quick) { client in
            #expect(await client.perform(request(1, to: server.url)).response?.body == Array("0".utf8))
            for _ in 1...2 { try await Self.aSecondPasses() }  // longer than the silence after which it is asked
            #expect(client.counters.pings == 0, "nothing asks an idle connection")
            #expect(await client.perform(request(2, to: server.url)).response?.body == Array("1".utf8))
            #expect(client.counters.pings == 1 && client.counters.connectionsOpened == 1)
        }
    }

    /// A peer that vanished: the request goes over a new connection, and nothing of it over the old one.
    @Test func aPingThatIsNotAnsweredCostsNoRequest() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            frames.answersPings = peer.number > 1
            while let request = frames.next() { frames.answer(request.stream) }
        }
        try await withHTTP2Client(Self.quick) { client in
            #expect(await client.perform(request(1, to: server.url)).status == 200)
            try await Self.aSecondPasses()  // the silence after which it is asked
            #expect(await client.perform(request(2, to: server.url)).status == 200)
            #expect(client.counters.pings == 1 && client.counters.connectionsOpened == 2)
        }
        #expect(server.received.all.map(\.connection) == [1, 2])
    }

    @Test func anIdleConnectionIsClosedWithAGoAway() async throws {
        let goodbyes = Events<Bool>()
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            while let request = frames.next() { frames.answer(request.stream) }
            goodbyes.add(frames.saidGoodbye)
        }
        try await withHTTP2Client({
            $0.http2 = HTTP2Settings()
            $0.http2?.idleLife = .seconds(1)
        }) { client in
            #expect(await client.perform(request(1, to: server.url)).status == 200)
            #expect(await goodbyes.wait(for: 1) == [true])
            while client.counters.http2Connections > 0 { await client.turn() }
            #expect(await client.perform(request(2, to: server.url)).status == 200)
        }
        #expect(server.received.all.map(\.connection) == [1, 2])
    }

    @Test func pastItsWholeLifeAConnectionIsReplaced() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            while let request = frames.next() { frames.answer(request.stream) }
        }
        try await withHTTP2Client({
            $0.http2 = HTTP2Settings()
            $0.http2?.wholeLife = .seconds(1)
        }) { client in
            while server.accepted.count < 2 {
                #expect(await client.perform(request(1, to: server.url)).status == 200)
            }
            while client.counters.http2Connections > 1 { await client.turn() }
        }
        let connections = server.received.all.map(\.connection)
        #expect(connections == connections.sorted() && connections.last == 2)
    }

    /// It closes every connection as soon as it has read a request.
    @Test func aServerThatIsOfNoUseIsNotAskedWithoutEnd() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            _ = frames.next()
        }
        try await withHTTP2Client { client in
            let channel = client.channel()
            channel.submit((1...3).map { request($0, to: server.url) })
            var replies: [Reply] = []
            while replies.count < 3 { replies += await channel.replies() }
            #expect(replies.allSatisfy { $0.unknown != nil })
        }
        #expect(server.received.count == 3 && server.accepted.count == 3)
    }

    /// A connection that was of no use ends while another one is full: the second that the group rests has no effect.
    @Test func aRestThatIsOverDoesNotKeepTheLoopBusy() async throws {
        let mayEnd = [1, 2].map { _ in DispatchSemaphore(value: 0) }
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer), let first = frames.next() else { return }
            mayEnd[peer.number - 1].wait()
            if peer.number == 2 { frames.answer(first.stream) }
            while peer.number == 2, let request = frames.next() { frames.answer(request.stream) }
        }
        try await withHTTP2Client { client in
            let channel = client.channel()
            for (generation, ids) in [(0, 1...1), (1, 2...3)] as [(Int64, ClosedRange<Int64>)] {
                channel.submit(
                    ids.map { id in
                        var request = request(id, to: server.url)
                        request.group.generation = generation
                        return request
                    })
                await server.received.wait(for: Int(ids.lowerBound))
            }
            mayEnd[0].signal()
            #expect(await channel.replies().map(\.unknown?.code) == [56])
            try await Self.aSecondPasses()
            let turns = client.counters.turns
            try await Self.aSecondPasses()
            #expect(client.counters.turns - turns < 100)
            mayEnd[1].signal()
            var replies: [Reply] = []
            while replies.count < 2 { replies += await channel.replies() }
            #expect(replies.allSatisfy { $0.status == 200 })
        }
    }

    @Test func aServerThatNeverGreetsGetsNothing() async throws {
        let server = try LoopbackServer { peer in peer.waitForClose() }
        try await withHTTP2Client({ $0.connectTimeout = .milliseconds(200) }) { client in
            let reply = await client.perform(request(to: server.url))
            #expect(
                reply.notSent?.text == "the server accepted the connection and sent no SETTINGS", "\(reply.outcome)")
        }
    }

    @Test func aServerThatClosesAtOnceGetsNothing() async throws {
        let server = try LoopbackServer { _ in }
        try await withHTTP2Client { client in
            for id in 1...5 as ClosedRange<Int64> {
                let reply = await client.perform(request(id, to: server.url))
                #expect(reply.notSent != nil, "\(reply.outcome)")
            }
        }
    }

    /// Its socket is full: what comes then waits, and leaves over another connection.
    @Test func aServerThatStopsReadingGetsNoMoreRequests() async throws {
        let end = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer, streams: 1_000), let first = frames.next() else { return }
            frames.answer(first.stream)
            guard peer.number == 1 else {
                while let request = frames.next() { frames.answer(request.stream) }
                return
            }
            // A window without end, so that only the socket stops us.
            frames.set([(4, 0x7FFF_FFFF)])
            frames.send(FramePeer.windowUpdate, 0, 0, [0x7F, 0, 0, 0])
            frames.answer(frames.next()?.stream ?? 0)
            end.wait()
        }
        try await withHTTP2Client({
            $0.timeout = .seconds(2)
            $0.slots = 1_000
        }) { client in
            for id in [0, 1] as [Int64] { #expect(await client.perform(request(id, to: server.url)).status == 200) }
            let channel = client.channel()
            let body = String(repeating: "x", count: 60_000)
            channel.submit((1...300).map { request($0, to: server.url, body: body) })
            while client.counters.inFlight < 300 { await client.turn() }
            channel.submit((301...400).map { request($0, to: server.url) })
            var replies: [Reply] = []
            while replies.count < 400 { replies += await channel.replies() }
            replies.sort { $0.id < $1.id }
            #expect(replies[..<300].allSatisfy { $0.unknown != nil })
            #expect(replies[300...].allSatisfy { $0.status == 200 })
            #expect(client.counters.connectionsOpened == 2)
        }
        end.signal()
    }
}
