import Testing

@testable import HTTPTransport

/// Proxies, whatever they speak. The server's name is known to none but the proxy.
@Suite(.timeLimit(.minutes(10))) struct HTTP2ProxyTests {
    private static let url = "https://push.example:8443/3/device/1"

    private static func signed(_ id: Int64 = 1, _ identity: TestIdentity? = nil) throws -> Request {
        var made = request(
            id, to: url, headers: [try HeaderLine("Authorization", "bearer marked", isSecret: true)], body: "marked")
        made.group.identity = identity
        return made
    }

    @Test func aConnectionThroughAProxyShowsTheCertificate() async throws {
        let shop = try PEMPair("shop")
        let tls = try ServerTLS(names: "DNS:push.example", clients: [shop.certificate])
        let proxy = try LoopbackServer { peer in
            guard peer.read() != nil else { return }
            peer.send("HTTP/1.1 200 Connection established\r\n\r\n")
            guard peer.secure(with: tls), let frames = FramePeer(peer) else { return }
            while let request = frames.next() { frames.answer(request.stream, body: peer.clientName ?? "nobody") }
        }
        try await withHTTP2Client({
            $0.proxy = "http://127.0.0.1:\(proxy.port)"
            $0.caBundle = tls.caBundle
        }) { client in
            for id in 1...2 as ClosedRange<Int64> {
                let reply = await client.perform(try Self.signed(id, TestIdentity(shop)))
                #expect(reply.response?.body == Array("shop".utf8), "\(reply.outcome)")
            }
        }
        #expect(proxy.accepted.count == 1)
        #expect(proxy.received.all.first?.line == "CONNECT push.example:8443 HTTP/1.1")
    }

    /// - Parameter answer: nil: it closes; empty: it says nothing.
    @Test(arguments: [
        "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 301 Moved\r\nLocation: https://other.example/\r\nContent-Length: 0\r\n\r\n",
        "220 mail.example ESMTP\r\n", "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 400 Bad Request\r\n\r\n", "", nil,
    ])
    func aProxyThatSpeaksNoConnectGetsNothing(answer: String?) async throws {
        let proxy = try LoopbackServer { peer in
            guard peer.read() != nil, let answer else { return }
            peer.send(answer)
            peer.waitForClose()
        }
        try await withHTTP2Client({
            $0.proxy = "http://127.0.0.1:\(proxy.port)"
            $0.connectTimeout = .milliseconds(500)
        }) { client in
            let reply = await client.perform(try Self.signed())
            let fault = try #require(reply.notSent, "\(reply.outcome)")
            #expect(!fault.text.isEmpty && !fault.text.contains("marked"))
        }
        for request in proxy.received.all {
            #expect(request.line == "CONNECT push.example:8443 HTTP/1.1")
            #expect(!request.headers.contains { $0.contains("marked") } && request.body.isEmpty)
        }
    }
}
