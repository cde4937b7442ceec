import Testing

@testable import HTTPTransport

/// TLS that ends with an alert, or within its handshake.
@Suite(.timeLimit(.minutes(10))) struct TLSEndingTests {
    /// - Parameter script: begins when the client's hello has come.
    private func reply(
        _ change: (inout TransportSettings) -> Void = { _ in }, _ script: @escaping @Sendable (Peer) -> Void
    ) async throws -> Reply {
        let server = try LoopbackServer { peer in
            guard let head = peer.read(bytes: 5), peer.read(bytes: Int(head[3]) << 8 | Int(head[4])) != nil else {
                return
            }
            script(peer)
        }
        return try await withHTTP2Client(change) { client in
            await client.perform(request(to: server.url.replacing("http:", with: "https:"), body: "marked"))
        }
    }

    @Test func anAlertWithinTheHandshakeSendsNothing() async throws {
        // Fatal, internal_error: RFC 8446 section 6.
        let reply = try await reply { $0.send([21, 3, 3, 0, 2, 2, 80]) }
        #expect(reply.notSent?.text == "the server ended TLS with the alert internal_error", "\(reply.outcome)")
        #expect(reply.notSent?.code == 35)
    }

    @Test(arguments: [false, true]) func aServerThatEndsWithinTheHandshakeGetsNothing(isReset: Bool) async throws {
        let reply = try await reply { if isReset { $0.reset() } }
        #expect(reply.notSent != nil, "\(reply.outcome)")
    }

    @Test func aServerThatFallsSilentWithinTheHandshakeGetsNothing() async throws {
        let reply = try await reply({ $0.connectTimeout = .milliseconds(200) }) { $0.waitForClose() }
        #expect(reply.notSent?.code == 28, "\(reply.outcome)")
    }

    /// What had left and was not answered is in doubt, as with any connection that ends.
    @Test(arguments: [ServerTLS.Version.tls12, .tls13]) func anAlertInTheMiddleLeavesWhatIsOpenInDoubt(
        version: ServerTLS.Version
    ) async throws {
        let tls = try ServerTLS(version: version)
        let server = try LoopbackServer(tls: tls) { peer in
            guard let frames = FramePeer(peer), let first = frames.next() else { return }
            frames.answer(first.stream)
            guard peer.number == 1 else {
                while let request = frames.next() { frames.answer(request.stream) }
                return
            }
            let streams = frames.next(10).map(\.stream)
            for stream in streams.prefix(3) { frames.answer(stream) }
            peer.sendAlert()
        }
        try await withHTTP2Client({ $0.caBundle = tls.caBundle }) { client in
            #expect(await client.perform(request(0, to: server.url, body: "0")).status == 200)
            let channel = client.channel()
            channel.submit((1...10).map { request($0, to: server.url, body: "\($0)") })
            var replies: [Reply] = []
            while replies.count < 10 { replies += await channel.replies() }
            replies.sort { $0.id < $1.id }
            #expect(replies[..<3].allSatisfy { $0.status == 200 })
            #expect(
                replies[3...].allSatisfy {
                    $0.unknown?.text == "the server ended TLS with the alert bad_record_mac"
                }, "\(replies[3...].map(\.outcome))")
            #expect(await client.perform(request(11, to: server.url, body: "11")).status == 200)
            #expect(client.counters.connectionsOpened == 2)
        }
        #expect(server.received.all.map(\.text) == (0...11).map { "\($0)" }, "nothing is sent twice")
    }
}
