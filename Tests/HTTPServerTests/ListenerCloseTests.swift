import HTTPServer
import HTTPTypes
import NIOCore
import SocketSupport
import Synchronization
import Testing

/// A server that is stopped, whatever its connections do.
@Suite(.timeLimit(.minutes(10))) struct ListenerCloseTests {
    /// Stops a server whose client has sent this request, once `asked` has an event.
    private func stop(
        while request: String, asked: Events<String>, respond: @escaping Responder
    ) async throws -> (text: String, ending: Client.Failure) {
        var ended: (String, Client.Failure) = ("", .ended)
        try await TestServer.run(respond: respond) { server in
            let client = try server.client()
            try await client.write(request)
            _ = await asked.next()
            await server.stop()
            #expect(server.listener.connectionCount == 0)
            #expect(throws: Client.Failure.cannotConnect) { try server.client() }
            var text = ""
            do {
                while true { text += String(decoding: try await client.some(), as: UTF8.self) }
            } catch {
                ended = (text, error as? Client.Failure ?? .broken(-1))
            }
        }
        return ended
    }

    /// The client sees that the response is incomplete.
    @Test func aResponseThatIsBeingWrittenIsCutOff() async throws {
        let asked = Events<String>()
        let large = 64_000_000
        let (text, _) = try await stop(while: TestServer.get(), asked: asked) { _ in
            asked.add("")
            return .withoutBody(.answer(Response(status: 200, body: [UInt8](repeating: 65, count: large))))
        }
        #expect(text.isEmpty || text.contains("Content-Length: \(large)\r\n"))
        #expect(text.utf8.count < large)
    }

    @Test func aTrickledResponseIsCutOff() async throws {
        let asked = Events<String>()
        let (text, _) = try await stop(while: TestServer.get(), asked: asked) { _ in
            asked.add("")
            var response = Response(status: 200, body: [UInt8](repeating: 65, count: 1_000))
            response.trickleMilliseconds = 60_000
            return .withoutBody(.answer(response))
        }
        #expect(!text.hasSuffix("AA"))
    }

    @Test func aDelayedResponseIsNotSent() async throws {
        let asked = Events<String>()
        let (text, _) = try await stop(while: TestServer.get(), asked: asked) { _ in
            asked.add("")
            var response = Response(status: 200)
            response.delayMilliseconds = 600_000
            return .withoutBody(.answer(response))
        }
        #expect(text.isEmpty)
    }

    @Test func aResponseThatIsBeingMadeIsCancelledAndWaitedFor() async throws {
        let asked = Events<String>()
        let (text, _) = try await stop(while: TestServer.get(), asked: asked) { _ in
            .withoutBody(
                .later {
                    asked.add("")
                    try? await Task.sleep(for: .seconds(600))
                    asked.add("cancelled: \(Task.isCancelled)")
                    return Response(status: 200)
                })
        }
        #expect(asked.all == ["", "cancelled: true"])
        #expect(text.isEmpty)
    }

    @Test func aRequestThatIsBeingReadIsNotAnswered() async throws {
        let asked = Events<String>()
        let request = TestServer.post("Content-Length: 5", body: "he")
        let (text, _) = try await stop(while: request, asked: asked) { request in
            asked.add("")
            return TestServer.echo(request)
        }
        #expect(text.isEmpty)
    }

    @Test func connectionsThatWaitAreClosed() async throws {
        try await TestServer.run { server in
            let clients = try (0..<10).map { _ in try server.client() }
            for client in clients {
                try await client.write(TestServer.get())
                #expect(try await client.reply().status == 200)
            }
            await server.stop()
            for client in clients { #expect(await client.ending() == .ended) }
        }
    }

    /// With clients that connect and ask all the time.
    @Test func stoppingEndsWhateverComesMeanwhile() async throws {
        try await TestServer.run { server in
            let answered = Events<Int>()
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        while let client = try? server.client() {
                            guard (try? await client.write(TestServer.get())) != nil,
                                let reply = try? await client.reply()
                            else { continue }
                            answered.add(reply.status)
                        }
                    }
                }
                for _ in 0..<20 { _ = await answered.next() }
                await server.stop()
                #expect(server.listener.connectionCount == 0)
            }
            #expect(answered.all.allSatisfy { $0 == 200 })
        }
    }

    @Test func aTakenAddressIsAFaultWithItsReason() async throws {
        try await TestServer.run { server in
            await #expect {
                _ = try await server.listener.listen(host: "127.0.0.1", port: server.port)
            } throws: { error in
                (error as? ListenFault)?.description == "address already in use"
            }
        }
    }
}
