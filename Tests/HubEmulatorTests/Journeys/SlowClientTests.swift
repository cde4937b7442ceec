import Foundation
import Testing

@testable import HubEmulator

/// Slow clients, and clients that try to use too many resources.
@Suite struct SlowClientTests {
    enum Part { case head, body }

    /// Each byte resets the idle timeout, so only the limit for the whole request can end it.
    @Test(arguments: [Part.head, .body])
    func aTricklingRequestTimesOut(part: Part) async throws {
        try await EmulatorFixture.run({ $0.requestSeconds = 1 }) { fixture in
            let request = fixture.send(to: "World").replacing("Content-Length: 9", with: "Content-Length: 9000")
            let client = try fixture.client()
            let head = part == .head ? "POST /news/messages HTTP/1.1\r\n" : String(request.dropLast(9))
            try await client.write(head)
            let writing = Task {
                // Ends when the emulator closes the connection, long before the thousandth byte.
                for _ in 0..<1_000 {
                    guard (try? await client.write(part == .head ? "A" : "x")) != nil else { return }
                    try? await Task.sleep(for: .milliseconds(part == .head ? 20 : 150))
                }
            }
            #expect(try await client.reply().status == 408)
            _ = await client.ending()
            writing.cancel()
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            #expect(fixture.emulator.count().taken == 1)
        }
    }

    @Test func anEndlessChunkedBodyIsRefused() async throws {
        try await EmulatorFixture.run { fixture in
            let head = fixture.send(to: "World").replacing("Content-Length: 9", with: "Transfer-Encoding: chunked")
            let client = try fixture.client()
            try await client.write(String(head.dropLast(9)))
            let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
            let writing = Task { while (try? await client.write(chunk)) != nil, !Task.isCancelled {} }
            #expect(try await client.reply().status == 413)
            _ = await client.ending()
            writing.cancel()
        }
    }

    /// A client that sends `Expect: 100-continue` need not send a body that would be refused.
    @Test func expectContinueIsAnsweredBeforeTheBody() async throws {
        try await EmulatorFixture.run { fixture in
            let small = fixture.send(to: "World").replacing("Host:", with: "Expect: 100-continue\r\nHost:")
            let client = try fixture.client()
            try await client.write(String(small.dropLast(9)))
            #expect(String(decoding: try await client.some(), as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.write(String(small.suffix(9)))
            #expect(try await client.reply().status == 201)

            let large = small.replacing("Content-Length: 9", with: "Content-Length: 70000")
            let other = try fixture.client()
            try await other.write(String(large.dropLast(9)))
            #expect(try await other.reply().status == 413)
            #expect(await other.ending() == .ended)
        }
    }

    @Test func connectionsBeyondTheLimitAreClosed() async throws {
        try await EmulatorFixture.run({ $0.maximumConnections = 8 }) { fixture in
            var taken: [Client] = []
            for _ in 0..<8 {
                let client = try fixture.client()
                try await client.write(fixture.send(to: "World"))
                #expect(try await client.reply().status == 201)
                taken.append(client)
            }
            for _ in 0..<64 {
                // The connection may already break while it is being made.
                guard let client = try? fixture.client() else { continue }
                try? await client.write(fixture.send(to: "World"))
                await #expect(throws: Client.Failure.self) { try await client.reply() }
            }
            for client in taken {
                try await client.write(fixture.send(to: "World"))
                #expect(try await client.reply().status == 201)
            }
            #expect(fixture.emulator.count().taken == 16)
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        try await EmulatorFixture.run { fixture in
            var slow = Fault(.nth(1))
            slow.delayMilliseconds = 50
            try fixture.emulator.add(slow)
            let client = try fixture.client()
            let requests = (0..<300).map { fixture.request("GET", "/news/installations/\($0)", headers: [:]) }
            try await client.write(fixture.send(to: "World") + requests.joined() + fixture.send(to: "World"))
            client.finishWriting()
            var text = ""
            while let more = try? await client.some() { text += String(decoding: more, as: UTF8.self) }
            let statuses = text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
            #expect(statuses.count == 302)
            #expect(statuses.first == "201" && statuses.last == "201")
            #expect(statuses.dropFirst().dropLast().allSatisfy { $0 == "401" })
        }
    }

    /// The client only writes. The emulator then stops reading, so that the client's writes block, and closes the
    /// connection after the idle timeout.
    @Test func aClientThatNeverReadsCannotFillMemory() async throws {
        try await EmulatorFixture.run({ $0.idleSeconds = 5 }) { fixture in
            let client = try fixture.client()
            let many = String(repeating: fixture.request("GET", "/news/installations/i", headers: [:]), count: 100)
            var sent = 0
            while (try? await client.write(many)) != nil { sent += many.utf8.count }
            // What fits into the kernel's buffers, not the 100 MB per second that it could have sent.
            #expect(sent < 64_000_000)
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
        }
    }
}
