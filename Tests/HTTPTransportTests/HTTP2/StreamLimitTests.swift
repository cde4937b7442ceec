import Dispatch
import Synchronization
import Testing

@testable import HTTPTransport

/// How many requests are on a connection, and how many connections there are.
@Suite(.timeLimit(.minutes(10))) struct StreamLimitTests {
    private func send(_ count: Int64, over client: HTTPClient, to url: String) async -> [Reply] {
        let channel = client.channel()
        channel.submit((1...count).map { request($0, to: url, body: "\($0)") })
        var replies: [Reply] = []
        while replies.count < Int(count) { replies += await channel.replies() }
        return replies
    }

    /// A server that answers only when the client has sent all that it may: `most` is what was open at once.
    private func crowded(streams: UInt32?, settings: @escaping @Sendable (HTTP2Settings) -> HTTP2Settings = { $0 })
        async throws -> (most: Int, connections: Int)
    {
        let most = Mutex(0)
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer, streams: streams) else { return }
            var open: [UInt32] = []
            while let request = frames.next() {
                open.append(request.stream)
                most.withLock { $0 = max($0, open.count) }
                // One by one, so that the next one comes in its place.
                if open.count == Int(streams ?? 1) || open.count == 1, let stream = open.popLast() {
                    frames.answer(stream)
                }
            }
        }
        let connections = try await withHTTP2Client({ $0.http2 = settings(HTTP2Settings()) }) { client in
            let replies = await send(50, over: client, to: server.url)
            #expect(replies.allSatisfy { $0.status == 200 })
            return client.counters.connectionsOpened
        }
        return (most.withLock { $0 }, connections)
    }

    @Test func aServerThatAllowsOneStreamForEverGetsOne() async throws {
        let (most, connections) = try await crowded(streams: 1)
        #expect(most == 1 && connections == 1)
    }

    @Test func oneRequestAtATimeNeedsOneConnection() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            while let request = frames.next() { frames.answer(request.stream) }
        }
        try await withHTTP2Client({ $0.slots = 1 }) { client in
            let replies = await send(100, over: client, to: server.url)
            #expect(replies.map(\.id) == Array(1...100) && replies.allSatisfy { $0.status == 200 })
            #expect(client.counters.connectionsOpened == 1 && client.counters.requests == 100)
        }
        #expect(server.received.all.map(\.text) == (1...100).map { "\($0)" })
    }

    /// From the first SETTINGS on: the requests do not wait for ever.
    @Test func aServerThatAllowsNoRequestGetsNone() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer, streams: 0) else { return }
            while frames.next() != nil {}
        }
        try await withHTTP2Client({ $0.connectTimeout = .milliseconds(200) }) { client in
            let replies = await send(3, over: client, to: server.url)
            #expect(
                replies.map(\.notSent?.text)
                    == Array(repeating: "the server allows no requests (MAX_CONCURRENT_STREAMS is 0)", count: 3))
        }
        #expect(server.received.count == 0)
    }

    @Test func aServerThatNoLongerAllowsRequestsIsLeft() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer), let first = frames.next() else { return }
            if peer.number == 1 { frames.set([(3, 0)]) }
            frames.answer(first.stream)
            while let request = frames.next() { frames.answer(request.stream) }
        }
        try await withHTTP2Client({ $0.connectTimeout = .milliseconds(200) }) { client in
            #expect(await client.perform(request(1, to: server.url)).status == 200)
            // Not sent while it might open again; over another connection as soon as it is given up.
            var reply = await client.perform(request(2, to: server.url))
            while reply.notSent != nil { reply = await client.perform(request(2, to: server.url)) }
            #expect(reply.status == 200, "\(reply.outcome)")
        }
        #expect(server.received.all.map(\.connection) == [1, 2])
    }

    /// It is filled before the second one is opened, and a connection begins with a single request.
    @Test func aSecondConnectionOpensWhenTheFirstIsFull() async throws {
        let firstIsFull = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer, streams: 10), let first = frames.next() else { return }
            if peer.number == 2 {
                // It is alone until it is answered, whatever waits.
                frames.answer(first.stream)
                firstIsFull.signal()
            } else {
                frames.answer(first.stream)
                let streams = frames.next(10).map(\.stream)
                firstIsFull.wait()
                for stream in streams { frames.answer(stream) }
            }
            while let request = frames.next() { frames.answer(request.stream) }
        }
        try await withHTTP2Client({
            $0.http2 = HTTP2Settings()
            $0.http2?.connections = 2
        }) { client in
            #expect(await client.perform(request(0, to: server.url)).status == 200)
            let replies = await send(11, over: client, to: server.url)
            #expect(replies.allSatisfy { $0.status == 200 })
            #expect(client.counters.connectionsOpened == 2)
        }
        #expect(server.received.all.filter { $0.connection == 1 }.count == 11)
        #expect(server.received.all.filter { $0.connection == 2 }.count == 1)
    }

    @Test func settingsThatAllowLessAreKeptAndNothingIsLost() async throws {
        let most = Mutex(0)
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer, streams: 20), let first = frames.next() else { return }
            frames.answer(first.stream)
            let streams = frames.next(20).map(\.stream)
            // Below what is open, to nothing, and back.
            frames.set([(3, 2)])
            for stream in streams { frames.answer(stream) }
            var open = 0
            for round in 0..<5 {
                let more = frames.next(2).map(\.stream)
                open = more.count
                most.withLock { $0 = max($0, open) }
                if round == 2 {
                    frames.set([(3, 0)])
                    for stream in more { frames.answer(stream) }
                    frames.set([(3, 2)])
                } else {
                    for stream in more { frames.answer(stream) }
                }
            }
            frames.set([(3, 100)])
            while let request = frames.next() { frames.answer(request.stream) }
        }
        try await withHTTP2Client { client in
            #expect(await client.perform(request(0, to: server.url)).status == 200)
            #expect(await send(50, over: client, to: server.url).allSatisfy { $0.status == 200 })
            #expect(client.counters.connectionsOpened == 1 && client.counters.unknown == 0)
        }
    }

    @Test func twoCredentialsNeverShareAConnection() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            while let request = frames.next() { frames.answer(request.stream) }
        }
        try await withHTTP2Client { client in
            let channel = client.channel()
            channel.submit(
                (1...40).map { id in
                    var request = request(Int64(id), to: server.url, body: "\(id % 2)")
                    request.group = ConnectionGroup(credential: Int64(id % 2))
                    return request
                })
            var replies: [Reply] = []
            while replies.count < 40 { replies += await channel.replies() }
            #expect(replies.allSatisfy { $0.status == 200 })
            #expect(client.counters.connectionsOpened == 2)
        }
        for connection in [1, 2] {
            #expect(Set(server.received.all.filter { $0.connection == connection }.map(\.text)).count == 1)
        }
    }

    @Test func aNewerGenerationHasNewConnectionsAndTheOldOnesEnd() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            while let request = frames.next() { frames.answer(request.stream) }
        }
        try await withHTTP2Client { client in
            for generation in [0, 0, 1, 1, 0, 2] as [Int64] {
                var request = request(to: server.url, body: "\(generation)")
                request.group = ConnectionGroup(credential: 7, generation: generation)
                #expect(await client.perform(request).status == 200)
            }
            while client.counters.http2Connections > 1 { await client.turn() }
        }
        #expect(server.received.all.map(\.connection) == [1, 1, 2, 2, 2, 3])
    }

    @Test func slotsLimitAllConnectionsTogether() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer), let first = frames.next() else { return }
            frames.answer(first.stream)
            while true {
                let streams = frames.next(4).map(\.stream)
                guard streams.count == 4 else { return }
                for stream in streams { frames.answer(stream) }
            }
        }
        try await withHTTP2Client({ $0.slots = 4 }) { client in
            #expect(await client.perform(request(0, to: server.url)).status == 200)
            #expect(await send(40, over: client, to: server.url).allSatisfy { $0.status == 200 })
        }
    }
}
