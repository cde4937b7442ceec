import Foundation
import Signing
import Testing
import VectorSupport

@testable import HubEmulator

@Suite struct RefusalTests {
    /// The recorded bodies, word for word, except for the trace at the end.
    @Test func errorBodiesMatchTheRecordings() async throws {
        try await EmulatorFixture.run { fixture in
            let bad = fixture.token(key: "another key")
            let old = fixture.token(expiry: Int64(EmulatorFixture.now))
            let requests = [
                "401-signature": fixture.request(token: bad, body: "{}"),
                "401-expired": fixture.request(token: old, body: "{}"),
                "401-claim": fixture.request("GET", "/news/registrations?api-version=2020-06", headers: [:]),
                "404-hub": fixture.request("POST", "/nowhere/messages?api-version=2020-06", body: "{}"),
                "400-tag": fixture.send(to: "a/b"),
                "400-format": fixture.send(to: "World", format: "fcmlegacy"),
            ]
            for recorded in try Vectors.objects("errors", "cases") {
                guard let id = recorded["id"] as? String, let request = requests[id] else { continue }
                let reply = try await fixture.exchange(request)
                #expect(reply.status == recorded["status"] as? Int, "\(id)")
                #expect(withoutTrace(reply.body) == withoutTrace(recorded["body"] as? String ?? ""), "\(id)")
                #expect(reply.headers["content-type"] == "application/xml; charset=utf-8", "\(id)")
            }
            // All except the one that is not a send.
            #expect(fixture.emulator.count().refused == requests.count - 1)
        }
    }

    private func withoutTrace(_ body: String) -> String {
        body.replacing(/TrackingId:[^,]+,TimeStamp:[^<]+/, with: "TRACE")
    }

    @Test func theTrackingIDInTheBodyMatchesTheHeader() async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange(fixture.request(token: "", body: "{}"))
            let tracking = try #require(reply.headers["trackingid"])
            #expect(reply.body.contains(".TrackingId:\(tracking),TimeStamp:1/15/2027 8:00:00 AM</Detail>"))
            #expect(fixture.emulator.journal().first?.tracking == tracking)
        }
    }

    @Test func everyTokenErrorHasItsName() async throws {
        try await EmulatorFixture.run { fixture in
            for (token, word) in [
                ("", "MissingToken"), ("SharedAccessSignature", "MalformedToken"), ("Bearer abc", "MalformedToken"),
                ("SharedAccessSignature sr=x&sig=y&se=z&skn=sender", "MalformedToken"),
                (fixture.token("nobody"), "InvalidSignature"), (fixture.token(path: "/sports"), "InvalidAudience"),
                (fixture.token(path: "/news2"), "InvalidAudience"),
            ] {
                let reply = try await fixture.exchange(fixture.request(token: token, body: "{}"))
                #expect(reply.status == 401)
                #expect(reply.body.contains("<Code>401</Code><Detail>\(word): "), "\(token.prefix(30))")
            }
        }
    }

    @Test func bothKeysOfAPolicyAreValid() async throws {
        try await EmulatorFixture.run { fixture in
            let token = fixture.token(key: "the other key", path: "")
            let reply = try await fixture.exchange(fixture.request(token: token, body: "{}"))
            #expect(reply.status == 201)
        }
    }

    @Test func aPolicyWithoutTheRightGetsAnEmpty403() async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange(fixture.request(token: fixture.token("listener"), body: "{}"))
            #expect(reply.status == 403)
            #expect(reply.body.isEmpty)
            #expect(reply.headers["retry-after"] == nil)
        }
    }

    @Test(arguments: [
        ("template", #"{"badge": 1}"#), ("template", #"{"a": {"b": "c"}}"#), ("template", #"{"a": null}"#),
        ("template", #"["a"]"#), ("template", #"{"a": "b""#), ("template", ""), ("apple", "{"), ("fcmv1", "<toast/>"),
    ])
    func anUnreadableBodyIsRefused(format: String, body: String) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange(fixture.send(to: "World", body, format: format))
            #expect(reply.status == 400)
            #expect(fixture.emulator.count() == JournalCount(refused: 1, statuses: [400: 1]))
        }
    }

    @Test(arguments: [
        "a b", "(a", "a & b", "!", "\"12345\"", "a AND b", "a,b",
        Array(repeating: "t", count: 21).joined(separator: "||"),
    ])
    func anInvalidTagExpressionIsRefused(tags: String) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange(fixture.send(to: tags))
            #expect(reply.status == 400)
        }
    }

    @Test func aBodyMayHave64KilobytesAndNoByteMore() async throws {
        try await EmulatorFixture.run { fixture in
            let fits = #"{"m":""# + String(repeating: "x", count: 65_536 - 8) + #""}"#
            #expect(fits.utf8.count == 65_536)
            #expect(try await fixture.exchange(fixture.send(to: "World", fits)).status == 201)
            let client = try fixture.client()
            try await client.write(fixture.send(to: "World", fits + " "))
            #expect(try await client.reply().status == 413)
            // It was read completely, so the connection stays open.
            try await client.write(fixture.send(to: "World"))
            #expect(try await client.reply().status == 201)
        }
    }

    @Test func anEndlessBodyIsCutOff() async throws {
        try await EmulatorFixture.run { fixture in
            let client = try fixture.client()
            try await client.write(
                fixture.request().replacing("Content-Length: 0", with: "Content-Length: 99999999999"))
            try await client.write([UInt8](repeating: 120, count: 1_200_000))
            let reply = try await client.reply()
            #expect(reply.status == 413)
            #expect(reply.headers["connection"] == "close")
            _ = await client.ending()
            #expect(fixture.emulator.count() == JournalCount(refused: 1, statuses: [413: 1]))
        }
    }

    @Test func unsupportedOperationsGetAClearStatus() async throws {
        try await EmulatorFixture.run { fixture in
            for (request, status) in [
                (fixture.request("GET", "/news/jobs", body: ""), 501),
                (fixture.request("GET", "/news/messages", body: ""), 405),
                (fixture.request("GET", "/%ff", body: ""), 404),
            ] {
                let reply = try await fixture.exchange(request)
                #expect(reply.status == status, "\(request.prefix(40))")
            }
        }
    }
}
