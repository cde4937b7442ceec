import Dispatch
import Testing

@testable import HTTPTransport

/// libcurl sends a request again, POSTs included, when a kept connection dies before a byte of the reply, and reports
/// plain success. A push that rings twice, and nobody knows why.
@Suite(.timeLimit(.minutes(1))) struct SilentResendTests {
    /// Answers the first request of each connection; takes the second one whole and closes.
    private func dropper() throws -> LoopbackServer {
        try LoopbackServer { peer in
            guard peer.read() != nil else { return }
            peer.send(Peer.created)
            peer.read()
        }
    }

    @Test func withoutTheGuardLibcurlSendsAPostTwiceAndCallsItSuccess() async throws {
        let server = try dropper()
        try await withLoop({ $0.refusesSilentResend = false }) { loop in
            let first = await loop.perform(request(1, to: server.url, body: "one"))
            let second = await loop.perform(request(2, to: server.url, body: "two"))
            #expect(first.status == 201)
            #expect(second.status == 201)
        }
        #expect(server.received.all.map(\.text) == ["one", "two", "two"])
    }

    @Test func withTheGuardAPostArrivesOnceAndItsOutcomeIsUnknown() async throws {
        let server = try dropper()
        try await withLoop { loop in
            let first = await loop.perform(request(1, to: server.url, body: "one"))
            let second = await loop.perform(request(2, to: server.url, body: "two"))
            #expect(first.status == 201)
            #expect(second.unknown == .resendRefused)
            #expect(loop.counters.silentResendsRefused == 1)
        }
        #expect(server.received.all.map(\.text) == ["one", "two"])
    }

    @Test func aGetMayBeRepeated() async throws {
        let server = try dropper()
        try await withLoop { loop in
            _ = await loop.perform(request(1, to: server.url, method: .get))
            let second = await loop.perform(request(2, to: server.url, method: .get))
            #expect(second.status == 201)
            #expect(loop.counters.silentResendsRefused == 0)
        }
        #expect(server.received.count == 3)
    }

    @Test(arguments: [Request.Method.put, .patch, .delete])
    func otherMethodsAreNotRepeatedEither(method: Request.Method) async throws {
        let server = try dropper()
        try await withLoop { loop in
            _ = await loop.perform(request(1, to: server.url, method: method))
            let second = await loop.perform(request(2, to: server.url, method: method))
            #expect(second.unknown == .resendRefused)
        }
        #expect(server.received.count == 2)
    }

    @Test func aConnectionThePeerClosedWhileIdleDoesNotTripTheGuard() async throws {
        let mayClose = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { peer in
            guard peer.read() != nil else { return }
            peer.send(Peer.created)
            mayClose.wait()
        }
        try await withLoop { loop in
            for id in 1...3 {
                let reply = await loop.perform(request(Int64(id), to: server.url))
                #expect(reply.status == 201)
                // The idle connection is still watched: its end takes it out of the epoll set.
                let before = loop.counters.epollChanges
                mayClose.signal()
                while loop.counters.epollChanges == before { await Task.yield() }
            }
            #expect(loop.counters.silentResendsRefused == 0)
        }
        #expect(server.received.count == 3)
        #expect(server.accepted.count == 3)
    }

    @Test func aRefusedConnectionAfterALostRequestIsNotCalledUnsent() async throws {
        let server = try LoopbackServer { peer in
            guard peer.read() != nil else { return }
            peer.send(Peer.created)
            peer.read()
            peer.stopListening()
        }
        try await withLoop { loop in
            _ = await loop.perform(request(1, to: server.url))
            let second = await loop.perform(request(2, to: server.url))
            #expect(second.unknown?.code == 7, "\(second.outcome)")
        }
        #expect(server.received.count == 2)
    }
}
