import Glibc
import HTTPServer
import HTTPTypes
import SocketSupport
import Testing

/// What a response looks like on the wire, and what becomes of the connection.
@Suite(.timeLimit(.minutes(10))) struct ResponseTests {
    /// The text of the answer and how the connection ends, when the client has ended its side.
    private func answer(_ plan: ResponsePlan) async throws -> (text: String, ending: Client.Failure) {
        var seen: (String, Client.Failure) = ("", .ended)
        try await TestServer.run(respond: { _ in .withoutBody(plan) }) { server in
            let client = try server.client()
            try await client.write(TestServer.get())
            client.finishWriting()
            var text = ""
            do {
                while true { text += String(decoding: try await client.some(), as: UTF8.self) }
            } catch {
                seen = (text, error as? Client.Failure ?? .broken(-1))
            }
        }
        return seen
    }

    private func answer(
        _ status: Int = 200, _ body: String = "hello", _ change: (inout Response) -> Void = { _ in }
    ) async throws -> (text: String, ending: Client.Failure) {
        var response = Response(status: status, headers: [.contentType: "text/plain"], body: Array(body.utf8))
        change(&response)
        return try await answer(.answer(response))
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"

    @Test func aResponseHasItsHeadersAndItsLength() async throws {
        #expect(try await answer() == (Self.head + "\r\nhello", .ended))
    }

    @Test func aResponseWithoutContentHasNoLengthAndNoBody() async throws {
        #expect(try await answer(204).text == "HTTP/1.1 204 No Content\r\nContent-Type: text/plain\r\n\r\n")
        // Its length is that of the response to GET (RFC 9110 section 8.6).
        #expect(
            try await answer(304).text
                == "HTTP/1.1 304 Not Modified\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n")
    }

    @Test func aTrickledResponseIsWhole() async throws {
        #expect(try await answer { $0.trickleMilliseconds = 1 } == (Self.head + "\r\nhello", .ended))
    }

    @Test func aDelayedResponseIsWhole() async throws {
        #expect(try await answer { $0.delayMilliseconds = 1 } == (Self.head + "\r\nhello", .ended))
    }

    @Test func aResponseIsCutOffWhereItIsToBe() async throws {
        let closing = Self.head + "Connection: close\r\n\r\n"
        #expect(try await answer { $0.extent = .halfTheBody } == (closing + "he", .ended))
        #expect(try await answer { $0.extent = .head } == (closing, .ended))
        let reset = try await answer {
            $0.extent = .halfTheBody
            $0.resetsConnection = true
        }
        #expect(reset == (closing + "he", .broken(ECONNRESET)))
    }

    @Test func aResponseCanCloseTheConnection() async throws {
        #expect(
            try await answer { $0.closesConnection = true }
                == (Self.head + "Connection: close\r\n\r\nhello", .ended))
    }

    @Test func hangingUpSendsNothing() async throws {
        for delay in [0, 1] {
            #expect(try await answer(.hangUp(isReset: false, delayMilliseconds: delay)) == ("", .ended))
            #expect(
                try await answer(.hangUp(isReset: true, delayMilliseconds: delay)) == ("", .broken(ECONNRESET)))
        }
    }

    @Test func aResponseThatCannotBeMadeClosesTheConnection() async throws {
        #expect(try await answer(.later { throw CancellationError() }) == ("", .ended))
    }

    /// Nothing that a client sent can end a line of the head.
    @Test func aHeaderCannotHoldALineEnd() async throws {
        let text = try await answer { $0.headers[.location] = "/a\r\nInjected: yes\r\n\r\nbody" }.text
        #expect(!text.contains("\r\nInjected"))
        #expect(text.components(separatedBy: "\r\n\r\n").count == 2)
    }
}
