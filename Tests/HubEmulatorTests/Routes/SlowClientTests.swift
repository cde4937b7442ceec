import Foundation
import Testing

@testable import HubEmulator

/// Clients that take their time, all the room, or more than their turn.
@Suite struct SlowClientTests {
    /// Each byte is traffic, so that only the time for the whole request can end it.
    @Test(arguments: [0, 1])
    func aRequestThatTricklesIsEnded(part: Int) async throws {
        try await Bench.run({ $0.requestSeconds = 1 }) { bench in
            let request = bench.send(to: "World").replacing("Content-Length: 9", with: "Content-Length: 9000")
            let client = try bench.client()
            let head = part == 0 ? "POST /news/messages HTTP/1.1\r\n" : String(request.dropLast(9))
            try await client.write(head)
            let writing = Task {
                // Ends when the emulator hangs up; a thousand is far more than it lets pass.
                for _ in 0..<1_000 {
                    guard (try? await client.write(part == 0 ? "A" : "x")) != nil else { return }
                    try? await Task.sleep(for: .milliseconds(part == 0 ? 20 : 150))
                }
            }
            #expect(try await client.reply().status == 408)
            _ = await client.ending()
            writing.cancel()
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            #expect(bench.emulator.count().taken == 1)
        }
    }

    @Test func aBodyWithoutAnEndIsRefused() async throws {
        try await Bench.run { bench in
            let head = bench.send(to: "World").replacing("Content-Length: 9", with: "Transfer-Encoding: chunked")
            let client = try bench.client()
            try await client.write(String(head.dropLast(9)))
            let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
            let writing = Task { while (try? await client.write(chunk)) != nil, !Task.isCancelled {} }
            #expect(try await client.reply().status == 413)
            _ = await client.ending()
            writing.cancel()
        }
    }

    /// Nobody has to send a megabyte in vain: who asks first is told at once.
    @Test func whoAsksBeforeSendingIsAnswered() async throws {
        try await Bench.run { bench in
            let small = bench.send(to: "World").replacing("Host:", with: "Expect: 100-continue\r\nHost:")
            let client = try bench.client()
            try await client.write(String(small.dropLast(9)))
            #expect(String(decoding: try await client.some(), as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.write(String(small.suffix(9)))
            #expect(try await client.reply().status == 201)

            let large = small.replacing("Content-Length: 9", with: "Content-Length: 70000")
            let other = try bench.client()
            try await other.write(String(large.dropLast(9)))
            #expect(try await other.reply().status == 413)
            #expect(await other.ending() == .ended)
        }
    }

    @Test func connectionsBeyondTheLimitAreClosed() async throws {
        try await Bench.run({ $0.maximumConnections = 8 }) { bench in
            var taken: [Client] = []
            for _ in 0..<8 {
                let client = try bench.client()
                try await client.write(bench.send(to: "World"))
                #expect(try await client.reply().status == 201)
                taken.append(client)
            }
            for _ in 0..<64 {
                // The connection may break as early as while it is made.
                guard let client = try? bench.client() else { continue }
                try? await client.write(bench.send(to: "World"))
                await #expect(throws: Client.Failure.self) { try await client.reply() }
            }
            for client in taken {
                try await client.write(bench.send(to: "World"))
                #expect(try await client.reply().status == 201)
            }
            #expect(bench.emulator.count().taken == 16)
        }
    }

    @Test func whatIsPipelinedIsAnsweredInOrder() async throws {
        try await Bench.run { bench in
            var slow = Fault(.nth(1))
            slow.delayMilliseconds = 50
            try bench.emulator.add(slow)
            let client = try bench.client()
            let requests = (0..<300).map { bench.request("GET", "/news/installations/\($0)", headers: [:]) }
            try await client.write(bench.send(to: "World") + requests.joined() + bench.send(to: "World"))
            client.finishWriting()
            var text = ""
            while let more = try? await client.some() { text += String(decoding: more, as: UTF8.self) }
            let statuses = text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
            #expect(statuses.count == 302)
            #expect(statuses.first == "201" && statuses.last == "201")
            #expect(statuses.dropFirst().dropLast().allSatisfy { $0 == "401" })
        }
    }

    /// It sends and sends and reads nothing. We stop reading too, so that its own writing comes to a halt, and it is
    /// let go when nothing moves any more.
    @Test func whoNeverReadsCannotFillTheMemory() async throws {
        try await Bench.run({ $0.idleSeconds = 5 }) { bench in
            let client = try bench.client()
            let many = String(repeating: bench.request("GET", "/news/installations/i", headers: [:]), count: 100)
            var sent = 0
            while (try? await client.write(many)) != nil { sent += many.utf8.count }
            // What fits into the kernel's buffers of both sides, and not the 100 MB a second it could have sent.
            #expect(sent < 64_000_000)
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
        }
    }
}
