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
