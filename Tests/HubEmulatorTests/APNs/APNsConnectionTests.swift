import Foundation
import HTTPServer
import HTTPTypes
import Testing

@testable import HubEmulator

/// APNs over HTTP/2 and TLS, with curl as a client, and one that shows its frames.
@Suite struct APNsConnectionTests {
    private static let curl = Program("curl")

    @Test func aSendOverHTTP2IsTaken() async throws {
        try await APNsFixture.run { fixture in
            try fixture.phone("alice", "ab01")
            let ended = try await Self.curl(fixture.curl("ab01", options: ["-i"]))
            #expect(ended.status == 0 && ended.output.hasSuffix("\n2 200\n"), "\(ended)")
            #expect(ended.output.contains("\napns-id: "), "\(ended)")
            #expect(try fixture.texts(of: "alice") == ["Hello"])
            let refused = try await Self.curl(fixture.curl("dead0410"))
            #expect(
                refused.output == #"{"reason":"Unregistered","timestamp":1800000000000}"# + "\n2 410\n", "\(refused)")
            let command = try await fixture.hub.exchange(
                fixture.hub.request("GET", "/_emulator/journal/1", token: "", headers: [:]))
            #expect(command.body.contains("curl -sS --http2 -X POST 'https://localhost:"), "\(command.body)")
        }
    }

    @Test(arguments: ["--http1.1", "--no-alpn"])
    func anOlderProtocolIsRefused(option: String) async throws {
        try await APNsFixture.run { fixture in
            let ended = try await Self.curl(fixture.curl(options: [option]))
            #expect(ended.output.hasSuffix("\n1.1 505\n"), "\(ended)")
            #expect(fixture.emulator.count().taken == 0)
        }
    }

    @Test(.enabled(if: APNsFixture.hasFrames, Program.advice)) func aGoodTokenOpensAThousandStreams() async throws {
        try await APNsFixture.run { fixture in
            let good = try await fixture.frames(["send", "ab01", "await", "streams 1000", "send", "ab02"])
            #expect(Set(good) == ["streams 1", "streams 1000", "answer 1 200", "answer 3 200"] && good.count == 4)
            #expect(good.first == "streams 1")
            let bad = try await fixture.frames(["send", "ab01"], token: "nonsense")
            #expect(bad == ["streams 1", "answer 1 403 InvalidProviderToken"])
        }
    }

    /// The port for TLS is shared with clients that know nothing of APNs.
    @Test func anotherServiceHasItsStreamsAtOnce() async throws {
        try await APNsFixture.run { fixture in
            let connection = PeerConnection(isHTTP2: true)
            let head = HTTPRequest(method: .get, scheme: "https", authority: "localhost", path: "/_emulator/faults")
            _ = fixture.emulator.router.receive(head, on: connection)
            #expect(!connection.kept { APNsConnection() }.trust())
            try fixture.expect("200 -", on: connection)
        }
    }

    @Test func manySendsShareOneConnection() async throws {
        try await APNsFixture.run { fixture in
            let ended = try await Self.curl(
                fixture.curl(
                    "ab[1000-1199]", options: ["--parallel", "--parallel-max", "50", "-w", "%{num_connects}\n"]))
            #expect(ended.status == 0, "\(ended)")
            #expect(fixture.emulator.count() == JournalCount(taken: 200, shown: 200, statuses: [200: 200]))
        }
    }
}
