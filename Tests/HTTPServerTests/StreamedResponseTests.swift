import HTTPServer
import HTTPTypes
import SocketSupport
import Synchronization
import Testing

/// Responses without a length, written piece by piece.
@Suite(.timeLimit(.minutes(10))) struct StreamedResponseTests {
    private func listen(
        idleSeconds: Int = TestServer.patience, _ stream: @escaping @Sendable (ResponseWriter) async throws -> Void,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            idleSeconds: idleSeconds,
            respond: { _ in
                var answer = Response(status: 200, headers: [.contentType: "text/event-stream"], body: Array("a".utf8))
                answer.stream = stream
                return .withoutBody(.answer(answer))
            }, body)
    }

    private static let get = TestServer.get()

    private func text(_ client: Client, until end: String) async throws -> String {
        var text = ""
        while !text.hasSuffix(end) { text += String(decoding: try await client.some(), as: UTF8.self) }
        return text
    }

    @Test func aStreamIsChunkedAndKeepsTheConnection() async throws {
        try await listen({ writer in
            try await writer.write(Array("bcd".utf8))
            try await writer.write([])
            try await writer.write(Array(repeating: 65, count: 16))
        }) { server in
            let client = try server.client()
            for _ in 0..<2 {
                try await client.write(Self.get)
                let text = try await text(client, until: "\r\n0\r\n\r\n")
                #expect(text.lowercased().contains("transfer-encoding: chunked"))
                #expect(text.hasSuffix("\r\n\r\n1\r\na\r\n3\r\nbcd\r\n10\r\nAAAAAAAAAAAAAAAA\r\n0\r\n\r\n"))
            }
            let old = try server.client()
            try await old.write("GET / HTTP/1.0\r\n\r\n")
            #expect(try await self.text(old, until: "AAAA").hasSuffix("\r\n\r\nabcdAAAAAAAAAAAAAAAA"))
            #expect(await old.ending() == .ended)
        }
    }

    @Test func theTaskIsCancelledWhenTheClientLeaves() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        try await listen({ writer in
            try await writer.write(Array("b".utf8))
            try? await Task.sleep(for: .seconds(600))
            end.yield(Task.isCancelled)
        }) { server in
            var client: Client? = try server.client()
            try await client?.write(Self.get)
            if let client { _ = try await text(client, until: "b\r\n") }
            client = nil
            var endings = ends.makeAsyncIterator()
            #expect(await endings.next() == true)
        }
    }

    @Test func theTaskIsCancelledWhenTheListenerCloses() async throws {
        let ended = Mutex(false)
        try await listen({ writer in
            try await writer.write(Array("b".utf8))
            try? await Task.sleep(for: .seconds(600))
            ended.withLock { $0 = true }
        }) { server in
            let client = try server.client()
            try await client.write(Self.get)
            _ = try await text(client, until: "b\r\n")
        }
        #expect(ended.withLock { $0 })
    }

    /// Without the last chunk the client knows that the response is incomplete.
    @Test func aStreamThatThrowsHasNoLastChunk() async throws {
        try await listen({ _ in throw CancellationError() }) { server in
            let client = try server.client()
            try await client.write(Self.get)
            var text = ""
            while let more = try? await client.some() { text += String(decoding: more, as: UTF8.self) }
            #expect(text.hasSuffix("1\r\na\r\n"))
        }
    }

    /// The writer waits for the client, but not forever.
    @Test func aStreamClientThatStopsReadingIsCutOff() async throws {
        let written = Mutex(0)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        try await listen(
            idleSeconds: 5,  // longer than a busy machine needs to send the request
            { writer in
                do {
                    while true {
                        try await writer.write([UInt8](repeating: 65, count: 65_536))
                        written.withLock { $0 += 65_536 }
                    }
                } catch {
                    end.yield(error is ClientGone)
                }
            }
        ) { server in
            let client = try server.client()
            try await client.write(Self.get)
            let timeout = Task {
                try await Task.sleep(for: .seconds(60))
                end.yield(false)
            }
            defer { timeout.cancel() }
            var endings = ends.makeAsyncIterator()
            #expect(await endings.next() == true)
            #expect(written.withLock { $0 } < 64_000_000)
            _ = client
        }
    }
}
