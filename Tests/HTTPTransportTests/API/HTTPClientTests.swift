import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct HTTPClientTests {
    @Test func aCancelledCallInFlightIsUnknownAndFreesItsSlot() async throws {
        let server = try LoopbackServer { peer in
            while let request = peer.read() {
                if request.text == "silence" { peer.waitForClose() } else { peer.send(Peer.created) }
            }
        }
        try await withClient({ $0.slots = 1 }) { client in
            let call = Task { await client.perform(request(1, to: server.url, body: "silence")) }
            await server.received.wait(for: 1)
            call.cancel()
            #expect(await call.value.unknown == .cancelled)
            #expect(await client.perform(request(2, to: server.url)).status == 201)
        }
    }

    @Test func aCancelledCallThatWaitsForASlotIsNotSent() async throws {
        let server = try LoopbackServer { peer in
            peer.read()
            peer.waitForClose()
        }
        try await withClient({ $0.slots = 1 }) { client in
            let first = Task { await client.perform(request(1, to: server.url)) }
            await server.received.wait(for: 1)
            let second = Task { await client.perform(request(2, to: server.url)) }
            second.cancel()
            let reply = await second.value
            #expect(reply.notSent == .cancelled)
            #expect(reply.id == 2)
            first.cancel()
            #expect(await first.value.unknown == .cancelled)
            #expect(client.counters.notSent == 1)
        }
        #expect(server.received.count == 1)
    }

    @Test func aTaskCancelledBeforeItCallsSendsNothing() async throws {
        let server = try LoopbackServer.answering()
        try await withClient { client in
            let call = Task {
                while !Task.isCancelled { await Task.yield() }
                return await client.perform(request(1, to: server.url))
            }
            call.cancel()
            #expect(await call.value.notSent == .cancelled)
            #expect(client.counters.requests == 0)
        }
    }

    @Test func manyCallsAtOnceGetTheirOwnReplies() async throws {
        let server = try LoopbackServer { peer in
            while let request = peer.read() {
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n\(request.text)")
            }
        }
        try await withClient({ $0.slots = 16 }) { client in
            await withTaskGroup(of: Void.self) { group in
                for id in 0..<300 {
                    group.addTask {
                        let reply = await client.perform(request(Int64(id), to: server.url, body: "call \(id)"))
                        #expect(reply.id == Int64(id))
                        #expect(reply.response?.body == Array("call \(id)".utf8))
                    }
                }
            }
        }
    }
}
