import Foundation
import Signing
import Testing
import VectorSupport

@testable import HubEmulator

/// sdk_requests.json: what clients of other languages send, in order, and what they need of the answers.
@Suite struct SDKRequestTests {
    struct Replay: Decodable, Sendable, CustomTestStringConvertible {
        struct Step: Decodable, Sendable {
            var method: String
            var target: String
            var headers: [String: String]
            var body: String
            var status: Int
            /// Expressions that a header has to match.
            var expectHeaders: [String: String]?
            var expectBody: [String]?
        }

        enum Token: String, Decodable { case hub, url }

        var client: String
        var token: Token
        /// nil: all rights.
        var policy: String?
        var steps: [Step]
        var testDescription: String { client }
    }

    private struct File: Decodable { var sequences: [Replay] }

    private static func sequences() throws -> [Replay] {
        try Vectors.read("sdk_requests", as: File.self, areKeysNames: false).sequences
    }

    @Test func theVectorsAreRead() throws { #expect(try Self.sequences().count >= 14) }

    @Test(arguments: try sequences())
    func everyRequestGetsTheAnswerThatItsClientNeeds(replay: Replay) async throws {
        try await EmulatorFixture.run { fixture in
            var id = ""
            for step in replay.steps {
                let target = step.target.replacing("{id}", with: id)
                let policy = replay.policy ?? "all"
                let token = fixture.token(
                    policy, path: replay.token == .hub ? "/news" : target.lowercased())
                let reply = try await fixture.exchange(
                    fixture.request(step.method, target, token: token, headers: step.headers, body: step.body))
                #expect(reply.status == step.status, "\(step.method) \(target): \(reply.body)")
                for (name, pattern) in step.expectHeaders ?? [:] {
                    let value = try #require(reply.headers[name], "\(step.method) \(target) has no \(name)")
                    let match = try #require(try Regex(pattern).firstMatch(in: value), "\(name): \(value)")
                    if match.output.count > 1, let group = match.output[1].substring { id = String(group) }
                }
                for text in step.expectBody ?? [] {
                    #expect(
                        reply.body.contains(text.replacing("{id}", with: id)), "\(step.method) \(target): \(reply.body)"
                    )
                }
            }
            #expect(fixture.emulator.warnings.allSatisfy { $0.kind != .unknownVersion })
        }
    }
}
