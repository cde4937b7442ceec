import Dispatch
import Testing

@testable import HTTPTransport

/// How requests over HTTP/2 end, against a server that ends them as it likes. It reads all that comes and counts it: what it
/// has read and not answered may be in doubt, and nothing else.
@Suite(.timeLimit(.minutes(10))) struct EndingTests {
    /// What became of ten requests on one connection, in the order of their ids, after a first one that was answered.
    private struct Endings {
        var replies: [Reply] = []
        var server: LoopbackServer
        var counters = Counters()

        /// `answered 3, notSent 7`
        var words: String {
            let all = replies.map { $0.status.map { "answered \($0)" } ?? ($0.notSent == nil ? "unknown" : "notSent") }
            return Dictionary(grouping: all) { $0 }.sorted { $0.key < $1.key }
                .map { "\($0.value.count) \($0.key)" }.joined(separator: ", ")
        }

        var faults: Set<String> { Set(replies.compactMap { ($0.notSent ?? $0.unknown)?.text }) }
    }

    /// - Parameter script: gets the ten streams once the server has read all of them. The connection closes when it returns.
    private func endings(
        _ change: (inout TransportSettings) -> Void = { _ in },
        _ script: @escaping @Sendable (FramePeer, [UInt32]) -> Void
    ) async throws -> Endings {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer), let first = frames.next() else { return }
            frames.answer(first.stream)
            // A later connection finds a server in good health.
            guard peer.number == 1 else {
                while let request = frames.next() { frames.answer(request.stream) }
                return
            }
            script(frames, frames.next(10).map(\.stream))
        }
        var endings = Endings(server: server)
        try await withHTTP2Client(change) { client in
            #expect(await client.perform(request(0, to: server.url, body: "first")).status == 200)
            let channel = client.channel()
            channel.submit((1...10).map { request($0, to: server.url, body: "\($0)") })
            while endings.replies.count < 10 { endings.replies += await channel.replies() }
            endings.replies.sort { $0.id < $1.id }
            endings.counters = client.counters
            // Whatever happened, the client goes on.
            #expect(await client.perform(request(11, to: server.url, body: "last")).status == 200)
        }
        let bodies = server.received.all.map(\.text)
        #expect(Set(bodies).count == bodies.count, "nothing is sent twice by us")
        return endings
    }

    @Test func whatIsAnsweredIsAnswered() async throws {
        let ended = try await endings { frames, streams in
            for stream in streams.reversed() { frames.answer(stream, 410, body: #"{"reason":"Unregistered"}"#) }
            while let request = frames.next() { frames.answer(request.stream) }
        }
        #expect(ended.words == "10 answered 410")
        #expect(ended.replies.allSatisfy { $0.response?.body == Array(#"{"reason":"Unregistered"}"#.utf8) })
        #expect(ended.replies.map { $0.sent?.body } == (1...10).map { Array("\($0)".utf8) })
        #expect(ended.counters.connectionsOpened == 1 && ended.server.accepted.count == 1)
    }

    // MARK: RST_STREAM

    @Test(arguments: 0...13 as ClosedRange<UInt32>)
    func aStreamThatTheServerResetsIsInDoubtUnlessItWasRefused(code: UInt32) async throws {
        let ended = try await endings { frames, streams in
            for stream in streams[..<5] { frames.reset(stream, code) }
            for stream in streams[5...] { frames.answer(stream) }
            while let request = frames.next() { frames.answer(request.stream) }
        }
        #expect(ended.words == (code == 7 ? "5 answered 200, 5 notSent" : "5 answered 200, 5 unknown"))
        #expect(ended.replies[5...].allSatisfy { $0.status == 200 }, "its neighbours go on")
        #expect(ended.counters.refusedStreams == (code == 7 ? 5 : 0))
        #expect(ended.counters.connectionsOpened == 1)
    }

    @Test func anAnswerBeforeTheBodyIsReadCounts() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            frames.opensWindow = false
            guard let request = frames.next(whole: false) else { return }
            #expect(!request.isWhole)
            frames.answer(request.stream, 413)
            frames.reset(request.stream, 0)
            _ = frames.next()
        }
        let reply = try await withHTTP2Client { client in
            await client.perform(request(to: server.url, body: String(repeating: "x", count: 200_000)))
        }
        #expect(reply.status == 413, "\(reply.outcome)")
    }

    // MARK: GOAWAY

    /// - Parameter last: the stream that it names, counted from 1; 11: a larger one than all; 0: the one before.
    @Test(arguments: [0, 1, 5, 9, 10, 11]) func whatAGoAwayLeavesOutIsNotSent(last: Int) async throws {
        let ended = try await endings { frames, streams in
            frames.goAway(last: last == 0 ? streams[0] - 2 : last == 11 ? 0x7FFF_FFFF : streams[last - 1], 0, "bye")
            for stream in streams.prefix(last) { frames.answer(stream) }
            // It waits for what it has taken, then closes: and so do we.
            while frames.next() != nil {}
        }
        let taken = min(last, 10)
        #expect(ended.replies[..<taken].allSatisfy { $0.status == 200 })
        #expect(ended.replies[taken...].allSatisfy { $0.notSent != nil }, "\(ended.words)")
        #expect(ended.counters.goAways == 1 && ended.counters.refusedStreams == 10 - taken)
        if taken < 10 {
            #expect(
                ended.faults == [
                    "the server ended the connection with NO_ERROR (bye), without processing this request"
                ])
        }
    }

    @Test func ofTwoGoAwaysTheLastOneCounts() async throws {
        let ended = try await endings { frames, streams in
            frames.goAway(last: 0x7FFF_FFFF)
            frames.goAway(last: streams[3])
            for stream in streams.prefix(4) { frames.answer(stream) }
            while frames.next() != nil {}
        }
        #expect(ended.words == "4 answered 200, 6 notSent")
        #expect(ended.counters.goAways == 2)
    }

    /// A server may only lower the id. What it left out first was not read; the rest may have been.
    @Test func aGoAwayThatTakesBackAnEarlierOneEndsTheConnection() async throws {
        let ended = try await endings { frames, streams in
            frames.goAway(last: streams[4])
            frames.goAway(last: streams[7])
            while frames.next() != nil {}
        }
        #expect(ended.words == "5 notSent, 5 unknown")
        #expect(ended.replies[5...].allSatisfy { $0.notSent != nil })
    }

    /// It says that it may have read all of them, answers five, and is gone.
    @Test func whatAGoAwayIncludesAndNobodyAnswersIsInDoubt() async throws {
        let ended = try await endings { frames, streams in
            frames.goAway(last: streams[9], 0, #"{"reason":"Shutdown"}"#)
            for stream in streams.prefix(5) { frames.answer(stream) }
        }
        #expect(ended.words == "5 answered 200, 5 unknown")
        #expect(ended.faults.count == 1 && ended.faults.first?.contains(#"({"reason":"Shutdown"})"#) == true)
    }

    /// The server closes while we write: what it said before still counts.
    @Test func aGoAwayBeforeAResetCounts() async throws {
        let ended = try await endings { frames, streams in
            frames.goAway(last: streams[1])
            for stream in streams.prefix(2) { frames.answer(stream) }
            frames.peer.endSending()
            while frames.next() != nil {}
        }
        #expect(ended.words == "2 answered 200, 8 notSent")
    }

    // MARK: The connection ends

    enum End: CaseIterable {
        case closed, halfClosed, reset
    }

    private static func end(_ frames: FramePeer, _ end: End) {
        switch end {
        case .closed: break
        case .halfClosed:
            frames.peer.endSending()
            while frames.next() != nil {}
        case .reset: frames.peer.reset()
        }
    }

    @Test(arguments: End.allCases) func aConnectionThatDiesWithoutAWordLeavesWhatItReadInDoubt(end: End) async throws {
        let ended = try await endings { frames, streams in
            for stream in streams.prefix(3) { frames.answer(stream) }
            Self.end(frames, end)
        }
        // A reset may overtake the answers.
        #expect(
            ended.replies[..<3].allSatisfy { $0.status == 200 || end == .reset && $0.unknown != nil }, "\(ended.words)")
        #expect(ended.replies[3...].allSatisfy { $0.unknown != nil }, "\(ended.words)")
        #expect(ended.counters.goAways == 0 && ended.counters.refusedStreams == 0)
    }

    @Test(arguments: End.allCases) func aServerThatEndsWithinAnAnswerHasAnswered(end: End) async throws {
        let ended = try await endings { frames, streams in
            for stream in streams { frames.answer(stream, 200, body: "half", ends: false) }
            Self.end(frames, end)
        }
        // A reset may overtake the answers.
        #expect(
            ended.replies.allSatisfy { $0.status == 200 || end == .reset && $0.unknown != nil }, "\(ended.words)")
    }

    /// Whether it is still there shows before a request leaves over it.
    @Test(arguments: End.allCases) func anIdleConnectionThatTheServerEndsCostsNoRequest(end: End) async throws {
        let ended = Events<Int>()
        let isAnswered = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer), let first = frames.next() else { return }
            frames.answer(first.stream)
            isAnswered.wait()
            Self.end(frames, end)
            peer.close()
            ended.add(peer.number)
        }
        try await withHTTP2Client { client in
            for id in 1...5 as ClosedRange<Int64> {
                #expect(await client.perform(request(id, to: server.url, body: "\(id)")).status == 200)
                isAnswered.signal()
                await ended.wait(for: Int(id))
            }
            #expect(client.counters.unknown == 0 && client.counters.notSent == 0)
        }
        #expect(server.received.all.map(\.text) == ["1", "2", "3", "4", "5"])
    }

    @Test(arguments: [false, true]) func aServerThatGoesWhileTheBodyIsOnItsWayLeavesDoubt(isReset: Bool) async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            frames.opensWindow = false
            guard frames.next(whole: false) != nil else { return }
            if isReset { peer.reset() }
        }
        let reply = try await withHTTP2Client { client in
            await client.perform(request(to: server.url, body: String(repeating: "x", count: 200_000)))
        }
        #expect(reply.unknown != nil, "\(reply.outcome)")
    }

    @Test func aServerThatIsNotThereGetsNothing() async throws {
        let server = try LoopbackServer { _ in }
        server.stopListening()
        // The thread that accepts still holds the socket for a moment: connect until it is refused.
        let replies = try await withHTTP2Client { client in
            var reply = await client.perform(request(to: server.url))
            while reply.notSent?.code != 7 { reply = await client.perform(request(to: server.url)) }
            let channel = client.channel()
            channel.submit((1...10).map { request($0, to: server.url) })
            var replies: [Reply] = []
            while replies.count < 10 { replies += await channel.replies() }
            return replies
        }
        #expect(replies.allSatisfy { $0.notSent?.code == 7 })
    }
}

/// Lends a client that speaks HTTP/2.
func withHTTP2Client<T>(
    _ change: (inout TransportSettings) -> Void = { _ in }, _ body: (HTTPClient) async throws -> T
) async throws -> T {
    try await withClient(
        {
            $0.http2 = HTTP2Settings()
            change(&$0)
        }, body)
}
