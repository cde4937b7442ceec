import PushModel
import Testing

@testable import HTTPTransport

/// Servers that break the protocol: every request gets its reply, and the client goes on.
@Suite(.timeLimit(.minutes(10))) struct LyingServerTests {
    /// What became of a request on which the server lied, with a connection that had worked before.
    private func ending(
        _ change: (inout TransportSettings) -> Void = { _ in },
        _ lie: @escaping @Sendable (FramePeer, UInt32) -> Void
    ) async throws -> Reply {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer), let first = frames.next() else { return }
            frames.answer(first.stream)
            guard let second = frames.next() else { return }
            if second.body == Array("lie".utf8) {
                lie(frames, second.stream)
            } else {
                frames.answer(second.stream)
            }
            while let request = frames.next() { frames.answer(request.stream) }
        }
        return try await withHTTP2Client(change) { client in
            #expect(await client.perform(request(1, to: server.url, body: "first")).status == 200)
            let reply = await client.perform(request(2, to: server.url, body: "lie"))
            #expect(await client.perform(request(3, to: server.url, body: "last")).status == 200)
            return reply
        }
    }

    @Test func aFrameOfAWrongSizeEndsTheConnection() async throws {
        let reply = try await ending { frames, _ in frames.send(FramePeer.settings, 0, 0, [0, 3, 0, 0, 1]) }
        #expect(reply.unknown != nil, "\(reply.outcome)")
    }

    @Test func aFrameLargerThanAllowedEndsTheConnection() async throws {
        let reply = try await ending { frames, stream in
            frames.send(FramePeer.data, 0, stream, [UInt8](repeating: 0, count: 20_000))
        }
        #expect(reply.unknown != nil, "\(reply.outcome)")
    }

    @Test func anAnswerToNothingEndsTheConnection() async throws {
        let reply = try await ending { frames, stream in frames.answer(stream + 100) }
        #expect(reply.unknown != nil, "\(reply.outcome)")
    }

    @Test func aHeaderBlockOfAMegabyteEndsTheStreamAndItsStatusCounts() async throws {
        let reply = try await ending { frames, stream in
            // A name and a value of 16,000 bytes each time, never indexed.
            let line: [UInt8] =
                [0x10, 0x01, UInt8(ascii: "x"), 0x7F, 0x81, 0x7C] + [UInt8](repeating: UInt8(ascii: "a"), count: 16_000)
            frames.send(FramePeer.headers, 0, stream, FramePeer.block(status: 200))
            for index in 0..<64 {
                frames.send(FramePeer.continuation, index == 63 ? FramePeer.endHeaders : 0, stream, line)
            }
        }
        // As soon as the library refuses to go on, what is known of the answer is its status, if that had come.
        #expect(reply.status == 200 || reply.unknown != nil, "\(reply.outcome)")
        #expect(reply.response?.headers.reduce(0) { $0 + $1.value.utf8.count } ?? 0 <= 65_536)
    }

    @Test func continuationsWithoutEndEndTheConnection() async throws {
        let reply = try await ending { frames, stream in
            frames.send(FramePeer.headers, 0, stream, FramePeer.block(status: 200))
            while frames.send(FramePeer.continuation, 0, stream, []) {}
        }
        #expect(reply.status == 200 || reply.unknown != nil, "\(reply.outcome)")
    }

    @Test func sixtyKilobytesOfHeadersAreAnAnswer() async throws {
        let reply = try await ending { frames, stream in
            // A name and a value of 15,000 bytes each time, never indexed.
            let line: [UInt8] =
                [0x10, 0x01, UInt8(ascii: "x"), 0x7F, 0x99, 0x74] + [UInt8](repeating: UInt8(ascii: "a"), count: 15_000)
            frames.send(FramePeer.headers, FramePeer.endStream, stream, FramePeer.block(status: 200))
            for index in 0..<4 {
                frames.send(FramePeer.continuation, index == 3 ? FramePeer.endHeaders : 0, stream, line)
            }
        }
        #expect(reply.response?.headers.map(\.value.utf8.count) == [15_000, 15_000, 15_000, 15_000])
    }

    /// What is kept of it has come: the rest is not waited for, and the connection goes on.
    @Test func aBodyOfAMegabyteIsCutAndCounts() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            while let request = frames.next() {
                guard request.body == Array("long".utf8) else {
                    frames.answer(request.stream)
                    continue
                }
                let sent = frames.answer(request.stream, bytes: 1_000_000)
                #expect(sent < 1_000_000 && frames.resets.map(\.code) == [8], "\(sent)")
            }
        }
        try await withHTTP2Client { client in
            #expect(await client.perform(request(1, to: server.url)).status == 200)
            let reply = await client.perform(request(2, to: server.url, body: "long"))
            #expect(reply.status == 200 && reply.response?.body.count == 65_536, "\(reply.outcome)")
            #expect(await client.perform(request(3, to: server.url)).status == 200)
            #expect(client.counters.connectionsOpened == 1)
        }
    }

    /// Flow control that no answer can stop: many answers of 64 kB over one connection.
    @Test func manyLongAnswersComeThrough() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer) else { return }
            while let request = frames.next() {
                frames.answer(request.stream, 200, ends: false)
                for piece in 0..<4 {
                    frames.send(
                        FramePeer.data, piece == 3 ? FramePeer.endStream : 0, request.stream,
                        [UInt8](repeating: 7, count: 15_000))
                }
            }
        }
        try await withHTTP2Client { client in
            for id in 1...20 as ClosedRange<Int64> {
                #expect(await client.perform(request(id, to: server.url)).response?.body.count == 60_000)
            }
        }
    }

    @Test func aWindowThatIsNeverOpenedEndsByTheTimeout() async throws {
        let server = try LoopbackServer { peer in
            guard let frames = FramePeer(peer), let first = frames.next() else { return }
            frames.answer(first.stream)
            frames.opensWindow = false
            while let request = frames.next() { frames.answer(request.stream) }
        }
        try await withHTTP2Client({ $0.timeout = .seconds(1) }) { client in
            #expect(await client.perform(request(1, to: server.url)).status == 200)
            let reply = await client.perform(request(2, to: server.url, body: String(repeating: "x", count: 100_000)))
            #expect(reply.unknown?.code == 28, "\(reply.outcome)")
        }
    }

    @Test func aServerThatChoosesNoHTTP2GetsNothing() async throws {
        let server = try TLSServer(as: .listening)
        try await withHTTP2Client({ $0.caBundle = server.certificate.path }) { client in
            let reply = await client.perform(
                request(to: server.url, headers: [try HeaderLine("Authorization", "marked")], body: "marked"))
            #expect(reply.notSent?.text.contains("does not speak HTTP/2") == true, "\(reply.outcome)")
        }
        #expect(try !server.output(until: "CONNECTION CLOSED").contains("marked"))
    }

    @Test func anUntrustedServerGetsNothing() async throws {
        let server = try TLSServer(as: .listening)
        try await withHTTP2Client { client in
            let reply = await client.perform(request(to: server.url, body: "marked"))
            #expect(reply.notSent?.code == 60, "\(reply.outcome)")
        }
        #expect(try !server.output(until: "CONNECTION CLOSED").contains("marked"))
    }

    /// Whatever bytes come instead of frames, in whatever pieces.
    @Test func noiseEndsEveryRequestWithAReply() async throws {
        for seed in 0..<150 as Range<UInt64> {
            let server = try LoopbackServer { peer in
                guard let frames = FramePeer(peer), frames.next() != nil else { return }
                var random = SeededRandom(seed: seed)
                for _ in 0..<Int.random(in: 1...40, using: &random) {
                    let type = UInt8.random(in: 0...10, using: &random)
                    let payload = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    }
                    let flags = UInt8.random(in: 0...255, using: &random)
                    guard frames.send(type, flags, UInt32.random(in: 0...3, using: &random), payload) else { return }
                }
            }
            try await withHTTP2Client { client in
                let reply = await client.perform(request(to: server.url))
                // What it says of the request has to be of one kind; a refusal needs a frame that means that.
                switch reply.outcome {
                case .answered(let response): #expect((200...999).contains(response.status))
                case .notSent, .unknown: break
                }
            }
        }
    }
}
