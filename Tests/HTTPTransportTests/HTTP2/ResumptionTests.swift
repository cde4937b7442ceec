import Testing

@testable import HTTPTransport

/// Further connections resume the TLS session of an earlier one, against a server over OpenSSL that says whether they did.
@Suite(.timeLimit(.minutes(10))) struct ResumptionTests {
    typealias Version = ServerTLS.Version

    /// A server that ends each connection after one request, which it answers with the name in the client's certificate.
    private struct Server {
        let tls: ServerTLS
        let loopback: LoopbackServer
        /// Of each connection, whether it was resumed.
        let resumed = Events<Bool>()

        init(_ tls: ServerTLS) throws {
            self.tls = tls
            let resumed = resumed
            loopback = try LoopbackServer(tls: tls) { peer in
                resumed.add(peer.isResumed)
                guard let frames = FramePeer(peer), let request = frames.next() else { return }
                // Before the answer: the next request has to find a connection that takes no more.
                frames.goAway(last: request.stream)
                frames.answer(request.stream, body: peer.clientName ?? "nobody")
                while frames.next() != nil {}
            }
        }

        func ask(
            _ client: HTTPClient, _ identity: TestIdentity? = nil, credential: Int64 = 1, generation: Int64 = 0
        ) async -> Reply {
            var made = request(to: loopback.url)
            made.group = ConnectionGroup(credential: credential, generation: generation, identity: identity)
            return await client.perform(made)
        }

        /// - Returns: the client's name as the server has it.
        func name(
            _ client: HTTPClient, _ identity: TestIdentity? = nil, credential: Int64 = 1, generation: Int64 = 0
        ) async -> String {
            let reply = await ask(client, identity, credential: credential, generation: generation)
            return reply.response.map { String(decoding: $0.body, as: UTF8.self) } ?? "\(reply.outcome)"
        }
    }

    @Test(arguments: [Version.tls12, .tls13]) func furtherConnectionsResumeTheSession(version: Version) async throws {
        let server = try Server(ServerTLS(version: version))
        try await withHTTP2Client({ $0.caBundle = server.tls.caBundle }) { client in
            for _ in 1...4 { #expect(await server.name(client) == "nobody") }
        }
        #expect(server.resumed.all == [false, true, true, true])
    }

    @Test(arguments: [Version.tls12, .tls13]) func aServerThatForgotItsSessionsIsReached(
        version: Version
    ) async throws {
        let server = try Server(ServerTLS(version: version))
        try await withHTTP2Client({ $0.caBundle = server.tls.caBundle }) { client in
            for _ in 1...2 { #expect(await server.name(client) == "nobody") }
            try server.tls.forgetSessions()
            for _ in 1...2 { #expect(await server.name(client) == "nobody") }
        }
        #expect(server.resumed.all == [false, true, false, true])
        #expect(server.loopback.accepted.count == 4, "no connection failed")
    }

    @Test(arguments: [Version.tls12, .tls13]) func anotherServerOfTheSameNameIsNotBelieved(
        version: Version
    ) async throws {
        let server = try Server(ServerTLS(version: version))
        try await withHTTP2Client({ $0.caBundle = server.tls.caBundle }) { client in
            for _ in 1...2 { #expect(await server.name(client) == "nobody") }
            try server.tls.giveNameAway()
            let reply = await server.ask(client)
            #expect(reply.notSent?.code == 60, "\(reply.outcome)")
        }
        #expect(server.resumed.all.prefix(2) == [false, true])
        #expect(server.loopback.received.count == 2)
    }

    // MARK: Client certificates

    @Test(arguments: [Version.tls12, .tls13]) func noSessionCarriesOneIdentityToAnother(version: Version) async throws {
        let pairs = try ["shop", "news", "new"].map { try PEMPair($0) }
        let (shop, news, new) = (TestIdentity(pairs[0]), TestIdentity(pairs[1]), TestIdentity(pairs[2]))
        let server = try Server(ServerTLS(clients: pairs.map(\.certificate), version: version))
        try await withHTTP2Client({ $0.caBundle = server.tls.caBundle }) { client in
            for _ in 1...2 { #expect(await server.name(client, shop, credential: 1) == "shop") }
            for _ in 1...2 { #expect(await server.name(client, news, credential: 2) == "news") }
            let reply = await server.ask(client, nil, credential: 3)
            #expect(reply.notSent != nil, "\(reply.outcome)")
            for _ in 1...2 { #expect(await server.name(client, new, credential: 1, generation: 1) == "new") }
            #expect(await server.name(client, news, credential: 2) == "news")
        }
        #expect(server.resumed.all == [false, true, false, true, false, true, true])
    }

    /// OpenSSL does so with TLS 1.3 where a server has no name for its sessions.
    @Test func aServerThatFailsOnItsOwnSessionIsReachedWithoutOne() async throws {
        let shop = try PEMPair("shop")
        let server = try Server(ServerTLS(clients: [shop.certificate], version: .tls13, failsOnSessions: true))
        try await withHTTP2Client({ $0.caBundle = server.tls.caBundle }) { client in
            for _ in 1...3 { #expect(await server.name(client, TestIdentity(shop)) == "shop") }
        }
        #expect(server.resumed.all == [false, false, false])
        #expect(server.loopback.accepted.count == 5, "two of them ended in their handshake")
    }
}
