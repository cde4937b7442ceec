import Glibc
import PushModel
import Testing

@testable import HubEmulator

/// Malformed input gets an error or a closed connection, and the next sender is served.
@Suite struct HostileRequestTests {
    @Test(arguments: [
        Named("garbage", "garbage\r\n\r\n"), Named("null bytes", "\0\0\0\0\0\0\0\0\r\n\r\n"),
        Named("unknown HTTP version", "GET / HTTP/9.9\r\n\r\n"),
        Named("TLS handshake", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n"),
        Named("negative length", "POST /news/messages HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"),
        Named(
            "two lengths",
            "POST /news/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
        Named(
            "length and chunks",
            "POST /news/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        Named(
            "invalid chunk size", "POST /news/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        Named(
            "length beyond 64 bits",
            "POST /news/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        Named("space before the colon", "POST /news/messages HTTP/1.1\r\nHost : x\r\n\r\n"),
        Named("control character in a header", "GET /news HTTP/1.1\r\nA: b\u{1}c\r\n\r\n"),
        Named("path of 200 kB", "GET /\(String(repeating: "x", count: 200_000)) HTTP/1.1\r\nHost: x\r\n\r\n"),
        Named(
            "header of 3 MB", "GET / HTTP/1.1\r\nHost: x\r\nBig: \(String(repeating: "x", count: 3_000_000))\r\n\r\n"),
        Named("5,000 headers", "GET / HTTP/1.1\r\nHost: x\r\n\(String(repeating: "A: b\r\n", count: 5_000))\r\n"),
    ])
    func malformedInputGetsAnErrorOrAClosedConnection(input: Named<String>) async throws {
        try await EmulatorFixture.run { fixture in
            let client = try fixture.client()
            // The emulator may close the connection while we are still writing.
            try? await client.write(input.value)
            client.finishWriting()
            do {
                let reply = try await client.reply()
                #expect((400...599).contains(reply.status))
            } catch {
                #expect(error is Client.Failure)
            }
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
        }
    }

    @Test func aTruncatedRequestIsNotASend() async throws {
        try await EmulatorFixture.run { fixture in
            let request = fixture.send(to: "World")
            for kept in [10, request.utf8.count / 2, request.utf8.count - 1] {
                let client = try fixture.client()
                try await client.write(Array(request.utf8.prefix(kept)))
                client.finishWriting()
                _ = await client.ending()
            }
            let chunked = request.replacing("Content-Length: 9", with: "Transfer-Encoding: chunked")
                .replacing(#"{"m":"x"}"#, with: "9\r\n{\"m\":\"x\"}\r\n")
            let client = try fixture.client()
            try await client.write(chunked)
            client.finishWriting()
            _ = await client.ending()
            #expect(try await fixture.exchange(chunked + "0\r\n\r\n").status == 201)
            #expect(fixture.emulator.count() == JournalCount(taken: 1, statuses: [201: 1]))
        }
    }

    /// Bytes are changed, removed, inserted and duplicated.
    @Test func mutatedBatchesAndPatchesOnlyCauseErrors() throws {
        var random = SeededRandom(seed: 7)
        let batch = Array(Batch(["AB", "CD"]).body.utf8)
        let patch = Array(
            #"[{"op":"add","path":"/templates/t/tags","value":["x"]},{"op":"remove","path":"/a~1"}]"#.utf8)
        let type = ContentType("multipart/mixed; boundary=b")
        let device = Installation("i", pushChannel: .handle("AB"), templates: ["t": "{}"])
        var refused = 0
        for _ in 0..<3_000 {
            do throws(ServiceError) {
                let read = try BatchBody(mutated(batch, &random), type: type)
                #expect((1...BatchBody.handleLimit).contains(read.handles.count))
            } catch {
                #expect(error.status == 400)
                refused += 1
            }
            do throws(EmulatorError) {
                _ = try InstallationPatch(body: mutated(patch, &random)).applied(to: device)
            } catch {
                #expect(error.description.contains("patch"))
            }
        }
        #expect((500..<3_000).contains(refused))
    }

    private func mutated(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let at = Int.random(in: 0..<bytes.count, using: &random)
            let end = Int.random(in: at..<min(bytes.count, at + 9), using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[at] = .random(in: 0 ... .max, using: &random)
            case 1: bytes.removeSubrange(at...end)
            case 2: bytes.insert(.random(in: 0 ... .max, using: &random), at: at)
            default: bytes.insert(contentsOf: Array(bytes[at...end]), at: at)
            }
            if bytes.isEmpty { return bytes }
        }
        return bytes
    }

    @Test(arguments: [
        Named("before the request", ""), Named("in the request line", "POST /news/mess"),
        Named("in the body", "POST /news/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab"),
    ])
    func aSilentClientIsDisconnected(beginning: Named<String>) async throws {
        try await EmulatorFixture.run({ $0.idleSeconds = 1 }) { fixture in
            let client = try fixture.client()
            try await client.write(beginning.value)
            // Reset, if some of its bytes were not read yet.
            #expect([.ended, .broken(ECONNRESET)].contains(await client.ending()))
        }
    }

    @Test func noQueryCanAddAHeader() async throws {
        try await EmulatorFixture.run { fixture in
            let target = "/news/messages?api-version=2020-06%0d%0aInjected:%20yes"
            let reply = try await fixture.exchange(fixture.request("POST", target, body: "{}"))
            #expect(reply.headers["injected"] == nil)
            #expect(reply.status == 400 && reply.headers["location"] == nil)
        }
    }

    @Test func aRequestWithoutAHostIsRefused() async throws {
        try await EmulatorFixture.run { fixture in
            let request = fixture.request(body: "{}").replacing("Host: \(fixture.host)\r\n", with: "")
            let reply = try await fixture.exchange(request)
            #expect((400...499).contains(reply.status))
        }
    }

    @Test func anInvalidClockExpiresEveryToken() async throws {
        for now in [Double.infinity, .nan, 1e300] {
            try await EmulatorFixture.run({ $0.now = { now } }) { fixture in
                let reply = try await fixture.exchange(fixture.send(to: "World"))
                #expect(reply.status == 401)
            }
        }
    }

    @Test func anUnknownHubLeavesOnlyAJournalEntry() async throws {
        try await EmulatorFixture.run { fixture in
            let name = String(repeating: "n", count: 5_000)
            let request = fixture.request("POST", "/\(name)/messages", body: "{}")
            let reply = try await fixture.exchange(request)
            #expect(reply.status == 404)
            #expect(fixture.emulator.journal().first?.hub.count == 260)
            #expect(fixture.emulator.journal().first?.status == 404)
        }
    }
}
