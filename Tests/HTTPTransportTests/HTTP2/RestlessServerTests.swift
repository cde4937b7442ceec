import Dispatch
import Testing

@testable import HTTPTransport

/// Servers that end their connections again and again.
@Suite(.timeLimit(.minutes(10))) struct RestlessServerTests {
    /// Without a word, while there are requests on them. The server's own count proves the outcomes.
    @Test func connectionsThatAreCutLeaveInDoubtOnlyWhatMayHaveBeenRead() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            for _ in 0..<7 {
                guard let request = frames.next() else { return }
                frames.answer(request.stream)
            }
            _ = frames.next()
        }
        try await withHTTP2Client { client in
            let channel = client.channel()
            channel.submit((1...200).map { request($0, to: server.url, body: "\($0)") })
            var replies: [Reply] = []
            while replies.count < 200 { replies += await channel.replies() }
            let read = server.received.all.map(\.text)
            #expect(Set(read).count == read.count, "nothing is sent twice")
            let unread = replies.filter { !read.contains("\($0.id)") }
            #expect(unread.allSatisfy { $0.status == nil })
            #expect(replies.filter { $0.notSent != nil }.allSatisfy { !read.contains("\($0.id)") })
            #expect(replies.contains { $0.status == 200 } && replies.contains { $0.unknown != nil })
        }
    }

    /// The next connection is made while the old one's requests are being answered.
    @Test func aGoAwayOpensTheNextConnectionAtOnce() async throws {
        let next = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            if peer.number == 1, let first = frames.next() {
                frames.answer(first.stream)
                guard let second = frames.next() else { return }
                frames.goAway(last: second.stream)
                next.wait()
                frames.answer(second.stream)
            } else {
                next.signal()
            }
            while let request = frames.next() { frames.answer(request.stream) }
        }
        try await withHTTP2Client { client in
            for id in 1...3 as ClosedRange<Int64> {
                let reply = await client.perform(request(id, to: server.url))
                #expect(reply.status == 200, "\(reply.outcome)")
            }
        }
        #expect(server.accepted.count == 2)
    }

    /// A server that says goodbye to an idle connection, or to one that it never answered on, gets no other one for that.
    @Test func aGoAwayThatLeavesNothingOpensNothing() async throws {
        let closed = Events<Int>()
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer), let first = frames.next() else { return }
            frames.goAway(last: first.stream)
            frames.answer(first.stream)
            while frames.next() != nil {}
            closed.add(peer.number)
        }
        try await withHTTP2Client { client in
            #expect(await client.perform(request(to: server.url)).status == 200)
            #expect(await closed.wait(for: 1) == [1])
        }
        #expect(server.accepted.count == 1)
    }

    /// It answers what it has taken, names it in a GOAWAY, and is gone: nothing is in doubt, and a caller that sends the rest
    /// again loses nothing and repeats nothing.
    @Test func connectionsThatEndWithAGoAwayLeaveNothingInDoubt() async throws {
        let processed = Events<String>()
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            var last: UInt32 = 0
            for _ in 0..<10 {
                guard let request = frames.next() else { return }
                processed.add(String(decoding: request.body, as: UTF8.self))
                frames.answer(request.stream)
                last = request.stream
            }
            frames.goAway(last: last)
            while frames.next() != nil {}
        }
        try await withHTTP2Client { client in
            let channel = client.channel()
            channel.submit((1...200).map { request($0, to: server.url, body: "\($0)") })
            var answered = 0
            while answered < 200 {
                for reply in await channel.replies() {
                    #expect(reply.unknown == nil, "\(reply.outcome)")
                    if reply.notSent == nil {
                        answered += 1
                    } else {
                        channel.submit([request(reply.id, to: server.url, body: "\(reply.id)")])
                    }
                }
            }
            #expect(client.counters.unknown == 0 && client.counters.goAways >= 19)
        }
        #expect(processed.all.map { Int($0) ?? 0 }.sorted() == Array(1...200))
    }
}
