import Glibc
import HTTPServer
import HTTPTypes
import SocketSupport
import Testing

/// More connections than the server keeps.
@Suite(.timeLimit(.minutes(10))) struct ConnectionLimitTests {
    @Test func connectionsBeyondTheLimitAreClosed() async throws {
        try await TestServer.run(maximumConnections: 8) { server in
            var taken: [Client] = []
            for _ in 0..<8 {
                let client = try server.client()
                try await client.write(TestServer.get())
                #expect(try await client.reply().status == 200)
                taken.append(client)
            }
            for _ in 0..<64 {
                // The connection may already break while it is being made.
                guard let client = try? server.client() else { continue }
                try? await client.write(TestServer.get())
                await #expect(throws: Client.Failure.self) { try await client.reply() }
            }
            for client in taken {
                try await client.write(TestServer.get())
                #expect(try await client.reply().status == 200)
            }
            #expect(server.listener.connectionCount == 8)
        }
    }

    @Test func theLongestIdleConnectionIsClosedForANewcomer() async throws {
        try await TestServer.run(maximumConnections: 8, whenFull: .closeIdle) { server in
            var clients: [Client] = []
            for _ in 0..<8 {
                let client = try server.client()
                try await client.write(TestServer.get())
                #expect(try await client.reply().status == 200)
                clients.append(client)
            }
            // The first was busy last.
            try await clients[0].write(TestServer.get())
            #expect(try await clients[0].reply().status == 200)
            let newcomer = try server.client()
            try await newcomer.write(TestServer.get())
            #expect(try await newcomer.reply().status == 200)
            #expect(await clients[1].ending() == .ended)
            for client in clients[2...] + [clients[0], newcomer] {
                try await client.write(TestServer.get())
                #expect(try await client.reply().status == 200)
            }
        }
    }

    /// A request that is being answered is not idle; one whose head is not complete is.
    @Test func aBusyConnectionIsNeverClosedForANewcomer() async throws {
        let asked = Events<String>()
        let releases = ["/first": Events<Bool>(), "/second": Events<Bool>()]
        try await TestServer.run(
            maximumConnections: 2, whenFull: .closeIdle,
            respond: { request in
                asked.add(request.path ?? "")
                guard let release = releases[request.path ?? ""] else { return TestServer.echo(request) }
                return .withoutBody(
                    .later {
                        _ = await release.next()
                        return Response(status: 200)
                    })
            }
        ) { server in
            var busy: [Client] = []
            for path in ["/first", "/second"] {
                busy.append(try server.client())
                try await busy.last?.write(TestServer.get(path))
                #expect(await asked.next() == path)
            }
            let refused = try server.client()
            try? await refused.write(TestServer.get())
            await #expect(throws: Client.Failure.self) { try await refused.reply() }
            for (client, path) in zip(busy, ["/first", "/second"]) {
                releases[path]?.add(true)
                #expect(try await client.reply().status == 200)
            }

            // In the place of the first; then two come, for the second and for itself.
            let dribbling = try server.client()
            try await dribbling.write(TestServer.get())
            #expect(try await dribbling.reply().status == 200)
            try await dribbling.write("GET / HTTP/1.1\r\n")
            for client in [try server.client(), try server.client()] {
                try await client.write(TestServer.get())
                #expect(try await client.reply().status == 200)
            }
            #expect([.ended, .broken(ECONNRESET)].contains(await dribbling.ending()))
        }
    }
}
