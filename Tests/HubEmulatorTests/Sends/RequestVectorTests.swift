import Foundation
import Testing
import VectorSupport

@testable import HubEmulator

/// requests.json and response_classification.json: the emulator serves every request of a backend, and can give every
/// answer of the service.
@Suite struct RequestVectorTests {
    private func body(_ input: [String: Any], _ expect: [String: Any]) throws -> String {
        if let raw = input["raw_body"] as? String { return raw }
        guard let value = expect["body"], !(value is String) else { return "" }
        return String(decoding: try JSONSerialization.data(withJSONObject: value), as: UTF8.self)
    }

    @Test func everyRequestOfABackendIsServed() async throws {
        let vectors = try Vectors.object("requests")
        let base = try #require((vectors["config"] as? [String: Any])?["base"] as? String)
        try await EmulatorFixture.run({ $0.hubs.append(.init("myhub")) }) { fixture in
            try fixture.emulator.register(Installation("inst-1", pushChannel: .handle("AB")), at: "myhub")
            var served: Set<String> = []
            for vector in try #require(vectors["cases"] as? [[String: Any]]) {
                let id = try #require(vector["id"] as? String)
                let input = try #require(vector["input"] as? [String: Any])
                let expect = try #require(vector["expect"] as? [String: Any])
                let url = try #require(expect["url"] as? String)
                var headers = try #require(expect["headers"] as? [String: String])
                headers["Authorization"] = nil
                var body = try self.body(input, expect)
                if id == "batch-direct" {
                    let batch = Batch(try #require(input["device_handles"] as? [String]))
                    body = batch.body
                    headers["Content-Type"] = batch.type
                } else if id == "put-installation" {
                    body = #"{"installationId":"inst-1","platform":"apns","pushChannel":"AB"}"#
                }
                let token = fixture.token("emulator", key: "ZW11bGF0b3I=", path: "/myhub")
                let reply = try await fixture.exchange(
                    fixture.request(
                        try #require(expect["method"] as? String), String(url.dropFirst(base.count)), token: token,
                        headers: headers, body: body))
                let success = try #require(expect["success"] as? [Int])
                #expect(success.contains(reply.status), "\(id): \(reply.status) \(reply.body)")
                served.insert(id)
            }
            #expect(served.count >= 13)
            // Only the broadcast and the unknown tags get a warning.
            let warned = Set(fixture.emulator.warnings.map(\.kind))
            #expect(warned.isSubset(of: [.broadcast, .unknownTag] as Set), "\(warned)")
        }
    }

    /// The service refuses these.
    @Test func whatASenderMustNotSendIsRefused() async throws {
        try await EmulatorFixture.run { fixture in
            let handles = (0..<1_001).map { "\($0)" }
            let longBody = #"{"m":""# + String(repeating: "x", count: 65_537 - 8) + #""}"#
            for (id, request, status) in [
                ("non-ascii-tag", fixture.send(to: "Monde é"), 400),
                ("body-over-64k", fixture.send(to: "World", longBody), 413),
                ("too-many-handles", Batch(handles).request(fixture), 400),
                ("schedule-too-far", ScheduledSendsTests.schedule(fixture, at: "2027-01-23T08:00:00"), 400),
            ] {
                let reply = try await fixture.exchange(request)
                #expect(reply.status == status, "\(id)")
            }
            #expect(fixture.emulator.count().taken == 0)
        }
    }

    /// By faults: statuses, and every form of Retry-After.
    @Test func everyAnswerOfTheServiceCanBeSimulated() async throws {
        let vectors = try Vectors.object("response_classification")
        try await EmulatorFixture.run { fixture in
            for vector in try #require(vectors["cases"] as? [[String: Any]]) {
                let headers = try #require(vector["headers"] as? [String: String])
                let status = try #require(vector["status"] as? Int)
                var fault = Fault(.next(1), status: status)
                let waited = (vector["expect"] as? [String: Any])?["delay"] as? Double
                if let milliseconds = headers["x-ms-retry-after-ms"] {
                    fault.retryAfter = .milliseconds(try #require(Int(milliseconds)))
                } else if let text = headers["Retry-After"] {
                    let inSeconds = vector["id"] as? String == "429-past-date" ? -60 : Int(waited ?? 0)
                    fault.retryAfter = Int(text).map { .seconds($0) } ?? .date(inSeconds: inSeconds)
                }
                fixture.emulator.clearFaults()
                try fixture.emulator.add(fault)
                let reply = try await fixture.exchange(fixture.send(to: "World"))
                #expect(reply.status == status)
                #expect(reply.headers["x-ms-retry-after-ms"] == headers["x-ms-retry-after-ms"])
                #expect(
                    (reply.headers["retry-after"] == nil) == (headers["Retry-After"] == nil), "\(vector["id"] ?? "")")
                if let text = headers["Retry-After"], Int(text) != nil { #expect(reply.headers["retry-after"] == text) }
            }
        }
    }
}
