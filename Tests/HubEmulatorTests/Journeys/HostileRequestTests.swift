import PushModel
import Testing

@testable import HubEmulator

/// Requests, bodies and clocks that no sender has. What HTTP itself forbids is in `HTTPServerTests`.
@Suite struct HostileRequestTests {
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

    @Test func noQueryCanAddAHeader() async throws {
        try await EmulatorFixture.run { fixture in
            let target = "/news/messages?api-version=2020-06%0d%0aInjected:%20yes"
            let reply = try await fixture.exchange(fixture.request("POST", target, body: "{}"))
            #expect(reply.headers["injected"] == nil)
            #expect(reply.status == 400 && reply.headers["location"] == nil)
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
