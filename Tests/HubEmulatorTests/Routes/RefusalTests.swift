import Foundation
import Signing
import Testing

@testable import HubEmulator

@Suite struct RefusalTests {
    /// The recorded bodies, word for word; only the trace at the end is each time another.
    @Test func errorBodiesAreTheRecordedOnes() async throws {
        try await Bench.run { bench in
            let bad = bench.token(key: "another key")
            let old = bench.token(expiry: Int64(Bench.now))
            let requests = [
                "401-signature": bench.request(token: bad, body: "{}"),
                "401-expired": bench.request(token: old, body: "{}"),
                "401-claim": bench.request("GET", "/news/registrations?api-version=2020-06", headers: [:]),
                "404-hub": bench.request("POST", "/nowhere/messages?api-version=2020-06", body: "{}"),
                "400-tag": bench.send(to: "a/b"),
                "400-format": bench.send(to: "World", format: "fcmlegacy"),
            ]
            for recorded in try #require(try Vectors.read("errors")["cases"] as? [[String: Any]]) {
                guard let id = recorded["id"] as? String, let request = requests[id] else { continue }
                let reply = try await bench.exchange(request)
                #expect(reply.status == recorded["status"] as? Int, "\(id)")
                #expect(untraced(reply.body) == untraced(recorded["body"] as? String ?? ""), "\(id)")
                #expect(reply.headers["content-type"] == "application/xml; charset=utf-8", "\(id)")
            }
            // All but the one that is no send.
            #expect(bench.emulator.count().refused == requests.count - 1)
        }
    }

    private func untraced(_ body: String) -> String {
        body.replacing(/TrackingId:[^,]+,TimeStamp:[^<]+/, with: "TRACE")
    }

    @Test func theTraceIsTheOneInTheHeader() async throws {
        try await Bench.run { bench in
            let reply = try await bench.exchange(bench.request(token: "", body: "{}"))
            let tracking = try #require(reply.headers["trackingid"])
            #expect(reply.body.contains(".TrackingId:\(tracking),TimeStamp:1/15/2027 8:00:00 AM</Detail>"))
            #expect(bench.emulator.journal().first?.tracking == tracking)
        }
    }

    @Test func everyFlawOfATokenHasItsName() async throws {
        try await Bench.run { bench in
            for (token, word) in [
                ("", "MissingToken"), ("SharedAccessSignature", "MalformedToken"), ("Bearer abc", "MalformedToken"),
                ("SharedAccessSignature sr=x&sig=y&se=z&skn=sender", "MalformedToken"),
                (bench.token("nobody"), "InvalidSignature"), (bench.token(path: "/sports"), "InvalidAudience"),
                (bench.token(path: "/news2"), "InvalidAudience"),
            ] {
                let reply = try await bench.exchange(bench.request(token: token, body: "{}"))
                #expect(reply.status == 401)
                #expect(reply.body.contains("<Code>401</Code><Detail>\(word): "), "\(token.prefix(30))")
            }
        }
    }

    @Test func bothKeysOfAPolicyAreGood() async throws {
        try await Bench.run { bench in
            let token = bench.token(key: "the other key", path: "")
            let reply = try await bench.exchange(bench.request(token: token, body: "{}"))
            #expect(reply.status == 201)
        }
    }

    @Test func aPolicyWithoutTheRightGets403WithoutAWord() async throws {
        try await Bench.run { bench in
            let reply = try await bench.exchange(bench.request(token: bench.token("listener"), body: "{}"))
            #expect(reply.status == 403)
            #expect(reply.body.isEmpty)
            #expect(reply.headers["retry-after"] == nil)
        }
    }

    @Test(arguments: [
        ("template", #"{"badge": 1}"#), ("template", #"{"a": {"b": "c"}}"#), ("template", #"{"a": null}"#),
        ("template", #"["a"]"#), ("template", #"{"a": "b""#), ("template", ""), ("apple", "{"), ("fcmv1", "<toast/>"),
    ])
    func aBodyTheServiceCannotReadIsRefused(format: String, body: String) async throws {
        try await Bench.run { bench in
            let reply = try await bench.exchange(bench.send(to: "World", body, format: format))
            #expect(reply.status == 400)
            #expect(bench.emulator.count() == JournalCount(refused: 1, statuses: [400: 1]))
        }
    }

    @Test(arguments: [
        "a b", "(a", "a & b", "!", "\"12345\"", "a AND b", "a,b",
        Array(repeating: "t", count: 21).joined(separator: "||"),
    ])
    func aBadTagExpressionIsRefused(tags: String) async throws {
        try await Bench.run { bench in
            let reply = try await bench.exchange(bench.send(to: tags))
            #expect(reply.status == 400)
        }
    }

    @Test func sixtyFourKilobytesAreTakenAndOneByteMoreIsNot() async throws {
        try await Bench.run { bench in
            let fits = #"{"m":""# + String(repeating: "x", count: 65_536 - 8) + #""}"#
            #expect(fits.utf8.count == 65_536)
            #expect(try await bench.exchange(bench.send(to: "World", fits)).status == 201)
            let client = try bench.client()
            try await client.write(bench.send(to: "World", fits + " "))
            #expect(try await client.reply().status == 413)
            // It was read to its end, so the connection is still good.
            try await client.write(bench.send(to: "World"))
            #expect(try await client.reply().status == 201)
        }
    }

    @Test func anEndlessBodyIsCutOff() async throws {
        try await Bench.run { bench in
            let client = try bench.client()
            try await client.write(bench.request().replacing("Content-Length: 0", with: "Content-Length: 99999999999"))
            try await client.write([UInt8](repeating: 120, count: 1_200_000))
            let reply = try await client.reply()
            #expect(reply.status == 413)
            #expect(reply.headers["connection"] == "close")
            _ = await client.ending()
            #expect(bench.emulator.count() == JournalCount(refused: 1, statuses: [413: 1]))
        }
    }

    @Test func whatTheEmulatorDoesNotServeItSays() async throws {
        try await Bench.run { bench in
            for (request, status) in [
                (bench.request("GET", "/news/jobs", body: ""), 501),
                (bench.request("GET", "/news/messages", body: ""), 405), (bench.request("GET", "/%ff", body: ""), 404),
            ] {
                let reply = try await bench.exchange(request)
                #expect(reply.status == status, "\(request.prefix(40))")
            }
        }
    }
}
