import Dispatch
import Testing

@testable import HTTPTransport

/// libcurl sends a request again, POSTs included, when a kept connection dies before a byte of the reply, and reports
/// plain success: a push would ring twice.
@Suite(.timeLimit(.minutes(10))) struct SlotResendTests {
    /// Answers the first request of each connection; reads the second one and closes.
    private func dropper() throws -> LoopbackServer {
        try LoopbackServer { peer in
            guard peer.read() != nil else { return }
            peer.send(Peer.created)
            peer.read()
        }
    }

    @Test func withoutTheGuardLibcurlSendsAPostTwice() async throws {
        let server = try dropper()
        try await withClient({ $0.refusesSilentResend = false }) { client in
            let first = await client.perform(request(1, to: server.url, body: "one"))
            let second = await client.perform(request(2, to: server.url, body: "two"))
            #expect(first.status == 201)
            #expect(second.status == 201)
        }
        #expect(server.received.all.map(\.text) == ["one", "two", "two"])
    }

    @Test func withTheGuardAPostArrivesOnceAndIsUnknown() async throws {
        let server = try dropper()
        try await withClient { client in
            let first = await client.perform(request(1, to: server.url, body: "one"))
            let second = await client.perform(request(2, to: server.url, body: "two"))
            #expect(first.status == 201)
            #expect(second.unknown == .resendRefused)
            #expect(client.counters.silentResendsRefused == 1)
        }
        #expect(server.received.all.map(\.text) == ["one", "two"])
    }

    @Test func aGetMayBeRepeated() async throws {
        let server = try dropper()
        try await withClient { client in
            _ = await client.perform(request(1, to: server.url, method: .get))
            let second = await client.perform(request(2, to: server.url, method: .get))
            #expect(second.status == 201)
            #expect(client.counters.silentResendsRefused == 0)
        }
        #expect(server.received.count == 3)
    }

    @Test(arguments: [Request.Method.put, .patch, .delete])
    func otherMethodsAreNotRepeatedEither(method: Request.Method) async throws {
        let server = try dropper()
        try await withClient { client in
            _ = await client.perform(request(1, to: server.url, method: method))
            let second = await client.perform(request(2, to: server.url, method: method))
            #expect(second.unknown == .resendRefused)
        }
        #expect(server.received.count == 2)
    }

    @Test func aConnectionClosedWhileIdleDoesNotTripTheGuard() async throws {
        let mayClose = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { peer in
            guard peer.read() != nil else { return }
            peer.send(Peer.created)
            mayClose.wait()
        }
        try await withClient { client in
            for id in 1...3 {
                let reply = await client.perform(request(Int64(id), to: server.url))
                #expect(reply.status == 201)
                // The idle connection is still watched: its end takes it out of the epoll set.
                let before = client.counters.epollChanges
                mayClose.signal()
                while client.counters.epollChanges == before { await Task.yield() }
            }
            #expect(client.counters.silentResendsRefused == 0)
        }
        #expect(server.received.count == 3)
        #expect(server.accepted.count == 3)
    }

    @Test func aRefusedConnectionAfterALostRequestIsUnknown() async throws {
        let server = try LoopbackServer { peer in
            guard peer.read() != nil else { return }
            peer.send(Peer.created)
            peer.read()
            peer.stopListening()
        }
        try await withClient { client in
            _ = await client.perform(request(1, to: server.url))
            let second = await client.perform(request(2, to: server.url))
            #expect(second.unknown?.code == 7, "\(second.outcome)")
        }
        #expect(server.received.count == 2)
    }

    /// After five lost answers on one handle libcurl says that it tried five times.
    @Test func theNumberOfLostAnswersBeforeIsNotSaidOfThisOne() async throws {
        let server = try dropper()
        try await withClient({ $0.slots = 1 }) { client in
            for pair in 0..<8 {
                _ = await client.perform(request(Int64(2 * pair + 1), to: server.url, body: "one"))
                let lost = await client.perform(request(Int64(2 * pair + 2), to: server.url, body: "two"))
                let text = lost.unknown?.text ?? ""
                #expect(!text.isEmpty && !text.contains("tried"), "\(pair): \(lost)")
            }
        }
        #expect(server.received.all.count == 16)
    }
}
