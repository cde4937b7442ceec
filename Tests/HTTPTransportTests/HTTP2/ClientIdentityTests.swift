import Dispatch
import Testing

@testable import HTTPTransport

/// Client certificates, against a server that lets in only those who show one it trusts.
@Suite(.timeLimit(.minutes(10))) struct ClientIdentityTests {
    private static func request(
        _ id: Int64 = 1, to server: LoopbackServer, _ identity: TestIdentity?, credential: Int64 = 1,
        generation: Int64 = 0
    ) -> Request {
        var made = HTTPTransportTests.request(id, to: server.url, body: "\(id)")
        made.group = ConnectionGroup(credential: credential, generation: generation, identity: identity)
        return made
    }

    /// A server that answers each request with the name in the client's certificate.
    private static func server(_ tls: ServerTLS) throws -> LoopbackServer {
        try LoopbackServer(tls: tls) { peer in
            guard let frames = FramePeer(peer) else { return }
            while let request = frames.next() { frames.answer(request.stream, body: peer.clientName ?? "nobody") }
        }
    }

    private static func name(_ reply: Reply) -> String? {
        reply.response.map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test(arguments: [ServerTLS.Version.tls12, .tls13]) func aServerThatAsksForACertificateGetsIt(
        version: ServerTLS.Version
    ) async throws {
        let shop = try PEMPair("shop")
        let tls = try ServerTLS(clients: [shop.certificate], version: version)
        let server = try Self.server(tls)
        try await withHTTP2Client({ $0.caBundle = tls.caBundle }) { client in
            for id in 1...3 as ClosedRange<Int64> {
                let reply = await client.perform(Self.request(id, to: server, TestIdentity(shop)))
                #expect(Self.name(reply) == "shop", "\(reply.outcome)")
            }
        }
        #expect(server.accepted.count == 1, "one connection, though each request brought an object of its own")
    }

    @Test func aServerThatAsksForNoneGetsNone() async throws {
        let tls = try ServerTLS()
        let server = try Self.server(tls)
        try await withHTTP2Client({ $0.caBundle = tls.caBundle }) { client in
            let reply = await client.perform(Self.request(to: server, TestIdentity(try PEMPair("shop"))))
            #expect(Self.name(reply) == "nobody", "\(reply.outcome)")
        }
    }

    @Test func aKeyWithAPasswordIsRead() async throws {
        let shop = try PEMPair("shop", password: "marked word")
        let tls = try ServerTLS(clients: [shop.certificate])
        let server = try Self.server(tls)
        try await withHTTP2Client({ $0.caBundle = tls.caBundle }) { client in
            let reply = await client.perform(Self.request(to: server, TestIdentity(shop, password: "marked word")))
            #expect(Self.name(reply) == "shop", "\(reply.outcome)")
        }
    }

    /// Two hubs in one process.
    @Test func eachCredentialShowsItsOwnCertificate() async throws {
        let pairs = try [PEMPair("shop"), PEMPair("news")]
        let identities = pairs.map { TestIdentity($0) }
        let tls = try ServerTLS(clients: pairs.map(\.certificate))
        let server = try Self.server(tls)
        try await withHTTP2Client({ $0.caBundle = tls.caBundle }) { client in
            let channel = client.channel()
            channel.submit(
                (0..<40).map { Self.request($0, to: server, identities[Int($0 % 2)], credential: $0 % 2 + 1) })
            var replies: [Reply] = []
            while replies.count < 40 { replies += await channel.replies() }
            for reply in replies {
                #expect(Self.name(reply) == (reply.id % 2 == 0 ? "shop" : "news"), "\(reply.outcome)")
            }
        }
        #expect(server.accepted.count == 2)
    }

    /// A reload: what is in flight ends on the old connection, which then closes; new connections show the new certificate.
    @Test func aNewerGenerationShowsTheNewCertificate() async throws {
        let pairs = try [PEMPair("old"), PEMPair("new")]
        let tls = try ServerTLS(clients: pairs.map(\.certificate))
        let arrived = Events<String>()
        let mayEnd = DispatchSemaphore(value: 0)
        let closed = Events<Int>()
        let server = try LoopbackServer(tls: tls) { peer in
            guard let frames = FramePeer(peer), let first = frames.next() else { return }
            frames.answer(first.stream, body: peer.clientName ?? "nobody")
            while let request = frames.next() {
                arrived.add(String(decoding: request.body, as: UTF8.self))
                if request.body == Array("2".utf8) { mayEnd.wait() }
                frames.answer(request.stream, body: peer.clientName ?? "nobody")
            }
            closed.add(peer.number)
        }
        try await withHTTP2Client({ $0.caBundle = tls.caBundle }) { client in
            let old = TestIdentity(pairs[0]), new = TestIdentity(pairs[1])
            #expect(Self.name(await client.perform(Self.request(1, to: server, old))) == "old")
            async let inFlight = client.perform(Self.request(2, to: server, old))
            await arrived.wait(for: 1)
            #expect(Self.name(await client.perform(Self.request(3, to: server, new, generation: 1))) == "new")
            mayEnd.signal()
            #expect(Self.name(await inFlight) == "old")
            #expect(await closed.wait(for: 1) == [1])
            // A request that was made before the reload leaves with the new one as well.
            #expect(Self.name(await client.perform(Self.request(4, to: server, old))) == "new")
        }
        #expect(server.accepted.count == 2)
    }

    @Test func noRequestLeavesUnderAnothersCertificate() async throws {
        let pairs = try [PEMPair("shop"), PEMPair("news")]
        let tls = try ServerTLS(clients: pairs.map(\.certificate))
        let server = try Self.server(tls)
        try await withHTTP2Client({ $0.caBundle = tls.caBundle }) { client in
            let identities = pairs.map { TestIdentity($0) }
            #expect(Self.name(await client.perform(Self.request(1, to: server, identities[0]))) == "shop")
            for (id, other) in [(2, identities[1]), (3, nil)] as [(Int64, TestIdentity?)] {
                let reply = await client.perform(Self.request(id, to: server, other))
                #expect(reply.notSent?.text == "two client certificates have the same credential and generation")
            }
            #expect(Self.name(await client.perform(Self.request(4, to: server, identities[0]))) == "shop")
        }
        #expect(server.received.all.map(\.text) == ["1", "4"])
    }

    // MARK: Refused

    /// With TLS 1.2 the handshake fails, with 1.3 the alert comes after it: both before a request has left.
    @Test(arguments: [ServerTLS.Version.tls12, .tls13], [false, true]) func aCertificateThatIsRefusedSendsNothing(
        version: ServerTLS.Version, showsOne: Bool
    ) async throws {
        let tls = try ServerTLS(clients: [PEMPair("shop").certificate], version: version)
        let server = try Self.server(tls)
        try await withHTTP2Client({ $0.caBundle = tls.caBundle }) { client in
            let identity = showsOne ? TestIdentity(try PEMPair("stranger")) : nil
            let channel = client.channel()
            channel.submit((1...5).map { Self.request($0, to: server, identity) })
            var replies: [Reply] = []
            while replies.count < 5 { replies += await channel.replies() }
            let (words, code): (String, Int32) =
                switch (showsOne, version) {
                case (true, _): ("the server refused our client certificate: unknown_ca", 58)
                case (false, .tls13):
                    ("the server wants a client certificate, and there is none: certificate_required", 58)
                // TLS 1.2 has no alert for it.
                case (false, .tls12): ("the server ended TLS with the alert handshake_failure", 35)
                }
            #expect(replies.map(\.notSent?.text) == Array(repeating: words, count: 5))
            #expect(replies.map(\.notSent?.code) == Array(repeating: code, count: 5))
        }
        #expect(server.received.count == 0)
    }

    @Test func aKeyThatCannotBeReadSendsNothingAndIsNotShown() async throws {
        let shop = try PEMPair("shop", password: "marked word")
        let tls = try ServerTLS(clients: [shop.certificate])
        let server = try Self.server(tls)
        let other = try PEMPair("other")
        let wrong = [
            TestIdentity(shop), TestIdentity(shop, password: "hidden"),
            TestIdentity(PEMPair(certificate: shop.certificate, key: other.key)),
            TestIdentity(PEMPair(certificate: shop.certificate, key: String(other.key.dropLast(60)))),
            TestIdentity(PEMPair(certificate: "", key: "")),
        ]
        try await withHTTP2Client({ $0.caBundle = tls.caBundle }) { client in
            for (index, identity) in wrong.enumerated() {
                let reply = await client.perform(Self.request(to: server, identity, credential: Int64(index)))
                let fault = try #require(reply.notSent, "\(index): \(reply.outcome)")
                #expect(fault.code == 58, "\(index): \(fault)")
                for secret in secrets(of: [shop, other]) + ["marked", "hidden"] {
                    #expect(!"\(fault)".contains(secret))
                }
            }
        }
        #expect(server.received.count == 0)
    }

    @Test func nothingPrintsTheKey() throws {
        let shop = try PEMPair("shop", password: "marked word")
        let identity = TestIdentity(shop, password: "marked word")
        var request = HTTPTransportTests.request(to: "https://127.0.0.1/")
        request.group = ConnectionGroup(credential: 3, generation: 2, identity: identity)
        var printed = "\(request) \(request.group) \(String(reflecting: request)) \(String(reflecting: request.group))"
        dump(request, to: &printed)
        dump(request.group, to: &printed)
        #expect(printed.contains("credential 3, generation 2, a client certificate"))
        for secret in secrets(of: [shop]) + ["marked"] { #expect(!printed.contains(secret)) }
    }

    /// Pieces of the lines of their keys.
    private func secrets(of pairs: [PEMPair]) -> [String] {
        pairs.flatMap { $0.key.split(separator: "\n").dropFirst().dropLast().map { String($0.prefix(16)) } }
    }
}

@Suite struct TLSAlertTests {
    @Test func anOrderlyEndIsNoAlert() {
        #expect(TLSAlert(-1) == nil && TLSAlert(0x100) == nil && TLSAlert(0x15A) == nil)
    }

    @Test(arguments: [
        (0x228 as Int32, true, "the server ended TLS with the alert handshake_failure"),
        (0x22D, true, "the server refused our client certificate: certificate_expired"),
        (0x274, false, "the server wants a client certificate, and there is none: certificate_required"),
        (0x2C8, false, "the server ended TLS with the alert 200"),
    ])
    func itSaysWhoHasToAct(code: Int32, showedCertificate: Bool, words: String) {
        #expect(TLSAlert(code)?.words(showedCertificate: showedCertificate) == words)
    }
}
