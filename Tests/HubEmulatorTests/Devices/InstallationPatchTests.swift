import Foundation
import Testing

@testable import HubEmulator

@Suite struct InstallationPatchTests {
    private static let target = "/news/installations/i?api-version=2020-06"

    private func patch(_ fixture: EmulatorFixture, _ body: String) async throws -> Client.Reply {
        try await fixture.exchange(
            fixture.request(
                "PATCH", Self.target, token: fixture.token("all"), headers: ["Content-Type": "application/json"],
                body: body))
    }

    private func read(_ fixture: EmulatorFixture) async throws -> NSDictionary {
        let reply = try await fixture.exchange(fixture.request("GET", Self.target, token: fixture.token("all")))
        return try #require(try JSONSerialization.jsonObject(with: Data(reply.body.utf8)) as? NSDictionary)
    }

    private func register(at fixture: EmulatorFixture) throws {
        try fixture.emulator.register(
            Installation("i", pushChannel: .handle("AA"), tags: ["World"], templates: ["t": #"{"a":"$(m)"}"#]),
            at: "news")
    }

    /// A patch, a field and its value afterwards.
    @Test(arguments: [
        (#"[{"op":"add","path":"/tags","value":"bar"}]"#, "tags", #"["World","bar"]"#),
        (#"[{"op":"add","path":"/tags","value":"WORLD"}]"#, "tags", #"["WORLD"]"#),
        (#"[{"op":"add","path":"/tags","value":["a","b"]}]"#, "tags", #"["World","a","b"]"#),
        (#"[{"op":"replace","path":"/tags","value":"bar"}]"#, "tags", #"["bar"]"#),
        (#"[{"op":"replace","path":"/tags","value":"[\"x\",\"y\"]"}]"#, "tags", #"["x","y"]"#),
        (#"[{"op":"replace","path":"/tags","value":"[]"}]"#, "tags", "null"),
        (
            #"[{"op":"replace","path":"/templates/t/tags","value":"[\"x\",\"y\"]"}]"#, "templates",
            #"{"t":{"body":"{\"a\":\"$(m)\"}","tags":["x","y"]}}"#
        ),
        (#"[{"op":"replace","path":"/tags/world","value":"bar"}]"#, "tags", #"["bar"]"#),
        (#"[{"op":"remove","path":"/tags/World"}]"#, "tags", "null"),
        (#"[{"op":"remove","path":"/tags/other"}]"#, "tags", #"["World"]"#),
        (#"[{"op":"remove","path":"/tags"}]"#, "tags", "null"),
        (#"[{"op":"add","path":"/tags","value":"x"},{"op":"remove","path":"/tags/World"}]"#, "tags", #"["x"]"#),
        (#"[{"op":"add","path":"/userId","value":"Bob"}]"#, "userId", #""Bob""#),
        (#"[{"op":"replace","path":"/pushChannel","value":"BB"}]"#, "pushChannel", #""BB""#),
        (
            #"[{"op":"add","path":"/expirationTime","value":"2030-01-01T00:00:00Z"}]"#, "expirationTime",
            #""2030-01-01T00:00:00Z""#
        ),
        (#"[{"op":"remove","path":"/expirationTime"}]"#, "expirationTime", #""9999-12-31T23:59:59.9999999Z""#),
        (
            #"[{"op":"replace","path":"/templates/t/body","value":"{\"b\":\"$(m)\"}"}]"#, "templates",
            #"{"t":{"body":"{\"b\":\"$(m)\"}","tags":["t"]}}"#
        ),
        (
            #"[{"op":"add","path":"/templates/t/tags","value":"x"}]"#, "templates",
            #"{"t":{"body":"{\"a\":\"$(m)\"}","tags":["x"]}}"#
        ),
        (
            #"[{"op":"add","path":"/templates/t/headers","value":"{\"apns-priority\":\"5\"}"}]"#, "templates",
            #"{"t":{"body":"{\"a\":\"$(m)\"}","headers":{"apns-priority":"5"},"tags":["t"]}}"#
        ),
        (
            #"[{"op":"add","path":"/templates/a~1b~01","value":"{\"body\":\"{}\"}"}]"#, "templates",
            #"{"t":{"body":"{\"a\":\"$(m)\"}","tags":["t"]},"a/b~1":{"body":"{}","tags":["a/b~1"]}}"#
        ),
        (#"[{"op":"add","path":"/pushVariables/city","value":"Rome"}]"#, "pushVariables", #"{"city":"Rome"}"#),
        (#"[{"op":"remove","path":"/pushVariables/city"}]"#, "pushVariables", "null"),
        (#"[{"op":"remove","path":"/templates/t"}]"#, "templates", "null"), ("[]", "tags", #"["World"]"#),
    ])
    func aPatchChangesOnlyWhatItNames(patch body: String, field: String, expected: String) async throws {
        try await EmulatorFixture.run { fixture in
            try register(at: fixture)
            let reply = try await patch(fixture, body)
            #expect(reply.status == 200, "\(reply.body)")
            #expect(reply.body.isEmpty)
            let value = try JSONSerialization.jsonObject(with: Data(expected.utf8), options: .fragmentsAllowed)
            let found = try await read(fixture)[field] ?? NSNull()
            #expect(value as? NSObject == found as? NSObject, "\(found)")
        }
    }

    /// The error names the operation at fault.
    @Test(arguments: [
        ("", "must be a JSON array"), ("{}", "must be a JSON array"),
        ("[1]", "[0] of the patch is not valid: it must be an object"),
        (#"[{"op":"move","from":"/a","path":"/b"}]"#, "op must be one of add, remove, replace"),
        (#"[{"op":"add","path":"tags","value":"x"}]"#, "path must be a text that begins with a slash"),
        (#"[{"op":"add","path":"/tags"}]"#, "value must be a text"),
        (#"[{"op":"add","path":"/userId","value":1}]"#, "value must be a text"),
        (#"[{"op":"add","path":"/templates/t","value":{"body":"{}"}}]"#, "a template is given as its JSON text"),
        (#"[{"op":"add","path":"/templates/t","value":"{}"}]"#, "body is missing"),
        (#"[{"op":"add","path":"/templates/t","value":"x"}]"#, "a template is given as its JSON text"),
        (#"[{"op":"add","path":"/templates/t/headers","value":"[]"}]"#, "headers are given as the JSON text"),
        (#"[{"op":"add","path":"/templates/u/body","value":"{}"}]"#, "there is no template u"),
        (#"[{"op":"remove","path":"/templates/t/body"}]"#, "a template needs a body"),
        (#"[{"op":"remove","path":"/pushChannel"}]"#, "an installation needs a pushChannel"),
        (#"[{"op":"add","path":"/platform","value":"wns"}]"#, "there is no such path"),
        (#"[{"op":"add","path":"/templates","value":"{}"}]"#, "there is no such path"),
        (#"[{"op":"add","path":"/templates/t/tags/a/b","value":"x"}]"#, "there is no such path"),
        (#"[{"op":"add","path":"/tags/x","value":"x"}]"#, "a tag is added at the path /tags"),
        (#"[{"op":"add","path":"/tags","value":"ok"},{"op":"add","path":"/tags","value":"a b"}]"#, "An invalid tag"),
        (#"[{"op":"replace","path":"/tags","value":"[1]"}]"#, "An invalid tag '[1]'"),
        (#"[{"op":"replace","path":"/tags","value":"[\"a b\"]"}]"#, "An invalid tag 'a b'"),
        (#"[{"op":"add","path":"/tags","value":"ok"},{"op":"x"}]"#, "[1] of the patch is not valid"),
        (#"[{"op":"replace","path":"/pushChannel","value":"XYZ"}]"#, "an even number of hex digits"),
        (#"[{"op":"replace","path":"/templates/t/body","value":"{"}]"#, "The template t is not valid"),
    ])
    func aWrongPatchChangesNothing(patch body: String, reason: String) async throws {
        try await EmulatorFixture.run { fixture in
            try register(at: fixture)
            let before = try await read(fixture)
            let reply = try await patch(fixture, body)
            #expect(reply.status == 400)
            #expect(reply.body.contains(reason), "\(reply.body)")
            #expect(try await read(fixture) == before)
        }
    }

    @Test func aPatchedDeviceIsFoundOnlyByItsNewTags() async throws {
        try await EmulatorFixture.run { fixture in
            try register(at: fixture)
            let reply = try await patch(fixture, #"[{"op":"replace","path":"/tags","value":"Sports"}]"#)
            #expect(reply.status == 200)
            for tag in ["World", "Sports"] { #expect(try await fixture.exchange(fixture.send(to: tag)).status == 201) }
            #expect(fixture.emulator.journal().map(\.reached) == [0, 1])
        }
    }

    @Test func aPatchOfAMissingDeviceIsNotFound() async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await patch(fixture, "[]")
            #expect(reply.status == 404)
            #expect(reply.body.contains("<Detail>Installation not found."))
        }
    }

    @Test func concurrentPatchesOfOneDeviceAllCount() async throws {
        try await EmulatorFixture.run { fixture in
            try register(at: fixture)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let reply = try await patch(fixture, #"[{"op":"add","path":"/tags","value":"t\#(number)"}]"#)
                        #expect(reply.status == 200)
                    }
                }
                try await group.waitForAll()
            }
            let tags = try #require(try await read(fixture)["tags"] as? [String])
            #expect(Set(tags) == Set(["World"] + (0..<20).map { "t\($0)" }))
        }
    }
}
