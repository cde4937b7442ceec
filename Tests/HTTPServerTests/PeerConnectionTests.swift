import NIOCore
import Testing

@testable import HTTPServer

/// Who asks.
@Suite struct PeerConnectionTests {
    @Test func aResponderKnowsTheAddressOfTheClient() async throws {
        let listener = Listener(idleSeconds: TestServer.patience, maximumConnections: 4) { _, peer in
            .withoutBody(.answer(Response(status: 200, body: Array((peer.address ?? "nobody").utf8))))
        }
        let socket = try await listener.listen(host: "127.0.0.1", port: 0)
        let server = TestServer(listener: listener, socket: socket, port: try #require(socket.localAddress?.port))
        let reply = try await server.exchange(TestServer.get())
        await server.stop()
        #expect(reply.status == 200 && reply.body == "127.0.0.1")
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::1", "::1"), ("2001:db8::ffff:1", "2001:db8::ffff:1"),
        ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:c000:201", "192.0.2.1"),
    ])
    func aClientHasOneAddressWhateverItsSocket(address: String, name: String) throws {
        #expect(PeerConnection.address(of: try SocketAddress(ipAddress: address, port: 1)) == name)
    }

    @Test func aSocketOfTheMachineHasNoAddress() throws {
        #expect(PeerConnection.address(of: try SocketAddress(unixDomainSocketPath: "/tmp/s")) == nil)
    }

    @Test func aRequestOfThisProcessHasTheAddressItIsGiven() {
        #expect(PeerConnection(isHTTP2: false).address == nil)
        #expect(PeerConnection(isHTTP2: false, address: "192.0.2.1").address == "192.0.2.1")
    }
}
