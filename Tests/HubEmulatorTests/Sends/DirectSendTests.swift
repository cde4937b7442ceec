import Testing
import VectorSupport

@testable import HubEmulator

/// Direct and batch direct sends: to handles, with or without a registered device.
@Suite struct DirectSendTests {
    private static let payload = #"{"aps":{"alert":"hello"}}"#

    private func direct(
        _ fixture: EmulatorFixture, to handle: String?, format: String = "apple", query: String = "direct",
        _ more: [String: String] = [:], body: String = DirectSendTests.payload
    ) -> String {
        var headers = more
        headers["ServiceBusNotification-Format"] = format
        headers["ServiceBusNotification-DeviceHandle"] = handle
        headers["Content-Type"] = "application/json;charset=utf-8"
        return fixture.request("POST", "/news/messages?api-version=2020-06&\(query)", headers: headers, body: body)
    }

    @Test func anUnregisteredHandleGetsThePush() async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange(direct(fixture, to: "00FC13AD"))
            #expect(reply.status == 201)
            #expect(reply.body.isEmpty)
            let entry = try #require(fixture.emulator.journal().first)
            #expect(entry.kind == .direct && entry.handles == 1 && entry.reached == 1 && entry.tags == nil)
            let id = try #require(entry.notification)
            #expect(
                reply.headers["location"] == "http://\(fixture.host)/news/messages/\(id)?api-version=2020-06&direct")
            let inbox = try fixture.emulator.inbox(ofHandle: "00FC13AD", at: "News")
            #expect(inbox.map(\.alert?.body) == ["hello"])
            #expect(inbox.first?.handle == "00FC13AD")
            #expect(inbox.first?.number == entry.number)
            #expect(try fixture.emulator.handles(at: "news") == ["00FC13AD"])
            #expect(fixture.emulator.warnings.isEmpty)
        }
    }

    /// As recorded: `$batch` before the id of a batch, and `direct` in the query of both kinds.
    @Test func locationsAreAsRecorded() async throws {
        let cases = try Vectors.objects("locations", "cases")
        let recorded = cases.compactMap { $0["location"] as? String }.filter { $0.contains("?api-version=2017-04") }
        #expect(recorded.count == 3)
        try await EmulatorFixture.run { fixture in
            let batch = Batch(["AB"]).request(fixture, "/news/messages/$batch?api-version=2017-04&direct")
            let plain = fixture.request("POST", "/news/messages?api-version=2017-04", body: "{}")
            let single = direct(fixture, to: "AB").replacing("2020-06", with: "2017-04")
            for (request, location) in zip([plain, single, batch], recorded) {
                let reply = try await fixture.exchange(request)
                #expect(try shape(#require(reply.headers["location"])) == shape(location))
            }
        }
    }

    /// Without host, hub and the digits of the id.
    private func shape(_ location: String) -> String {
        location.replacing(/^https?:\/\/[^\/]+\/[^\/]+/, with: "")
            .replacing(/[0-9a-f]{32}-\d{14}-\d+-\d+/, with: "ID")
    }

    @Test func aBatchReachesEveryHandleAndItsDevice() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(Installation("phone", pushChannel: .handle("AB")), at: "news")
            try fixture.emulator.register(
                Installation("droid", platform: .fcmV1, pushChannel: .handle("CD")), at: "news")
            let reply = try await fixture.exchange(Batch(["AB", "CD", "EF"]).request(fixture))
            #expect(reply.status == 201)
            let entry = try #require(fixture.emulator.journal().first)
            #expect(entry.kind == .batch && entry.handles == 3 && entry.reached == 3)
            let id = try #require(entry.notification)
            #expect(
                reply.headers["location"]
                    == "http://\(fixture.host)/news/messages/$batch/\(id)?api-version=2020-06&direct")
            for handle in ["AB", "CD", "EF"] {
                #expect(try fixture.emulator.inbox(ofHandle: handle, at: "news").map(\.payload) == [Self.payload])
            }
            #expect(try fixture.emulator.inbox(of: "phone", at: "news").map(\.handle) == ["AB"])
            // Its handle belongs to another platform than the payload.
            #expect(try fixture.emulator.inbox(of: "droid", at: "news").isEmpty)
            #expect(fixture.emulator.count().shown == 3)
        }
    }

    /// As the official clients and the service's page write it.
    @Test(arguments: [
        ("/news/messages/$batch?api-version=2020-06&direct", "multipart/mixed; boundary=\"b\""),
        ("/news/messages/$batch?direct&api-version=2015-08", "multipart/mixed; boundary = \"b\""),
        ("/news/messages/%24batch/?direct=true", "multipart/mixed;boundary=b"),
        ("/news/messages/$batch?direct=", "multipart/form-data; boundary=b"),
        ("/NEWS/Messages/$Batch/?direct=", "Multipart/Mixed; BOUNDARY='b'"),
    ])
    func everySpellingOfABatchIsAccepted(target: String, type: String) async throws {
        try await EmulatorFixture.run { fixture in
            var batch = Batch(["AB"])
            batch.type = type
            let plain = try await fixture.exchange(batch.request(fixture, target))
            #expect(plain.status == 201)
            for body in ["\r\n" + batch.body, batch.body + "\r\n", batch.body + "\r\nan epilogue"] {
                batch.body = body
                #expect(try await fixture.exchange(batch.request(fixture, target)).status == 201)
            }
        }
    }

    @Test func aThousandHandlesAreTheLimit() async throws {
        try await EmulatorFixture.run { fixture in
            let handles = (1...1_001).map { "\($0)" + String(repeating: "f", count: 200) }
            let client = try fixture.client()
            try await client.write(Batch(handles.dropLast()).request(fixture))
            #expect(try await client.reply().status == 201)
            try await client.write(Batch(handles).request(fixture))
            let reply = try await client.reply()
            #expect(reply.status == 400)
            #expect(reply.body.contains("A batch send takes 1 to 1000 devices, not 1001."))
            #expect(
                fixture.emulator.count()
                    == JournalCount(taken: 1, refused: 1, shown: 1_000, statuses: [201: 1, 400: 1]))
        }
    }

    @Test func thePayloadOfABatchHasTheUsualLimit() async throws {
        try await EmulatorFixture.run { fixture in
            var batch = Batch(["AB"])
            batch.payload = #"{"m":""# + String(repeating: "x", count: 65_536 - 8) + #""}"#
            let taken = try await fixture.exchange(batch.request(fixture))
            #expect(taken.status == 201)
            batch.payload += " "
            #expect(try await fixture.exchange(batch.request(fixture)).status == 413)
        }
    }

    private static let good = Batch(["AB"])

    /// A mistake in a batch, and its error.
    @Test(arguments: [
        (good.body.replacing("\r\n", with: "\n"), "A boundary is followed by neither CRLF nor two hyphens."),
        (good.body.replacing("\r\n\r\n", with: "\r\n \r\n"), "A part has no blank line, without white space,"),
        (good.body.replacing("\r\n--b--", with: "\n--b--"), "The line ends of the body are not CRLF."),
        (good.body.replacing("json\r\nContent-D", with: "json\nContent-D"), "The line ends of the body are not CRLF."),
        (good.body.replacing("\r\n--b--", with: ""), "The closing boundary is missing."),
        (good.body.replacing("--b--", with: "--b-"), "A boundary is followed by neither CRLF nor two hyphens."),
        (good.body + "x", "The closing boundary is not the end of its line."),
        ("", "The body does not begin with the boundary."), ("--", "The body does not begin with the boundary."),
        ("--b", "A boundary is followed by neither CRLF nor two hyphens."), ("--b--", "named notification is missing"),
        ("--b\r\n--b--", "A part has no blank line"), ("--b\r\n\r\n--b--", "A part has no blank line"),
        ("--b\r\n\r\n\r\n--b--", "needs the header Content-Disposition"),
        ("--b\r\nnonsense\r\n\r\n\r\n--b--", "A line in the headers of a part is not a header."),
        ("--b\r\nA: b\r\na: c\r\n\r\n\r\n--b--", "A part has the same header twice."),
        (String(repeating: "--b\r\n\r\n\r\n", count: 17) + "--b--", "The body has too many parts."),
        (good.body.replacing("name=devices", with: "name=notification"), "The part named notification occurs twice."),
        (good.body.replacing("name=devices", with: "name=phones"), "A batch send has no part named phones."),
        (good.body.replacing("name=notification", with: "name=devices"), "The part named devices occurs twice."),
        (good.body.replacing("inline; name=devices", with: "inline"), "needs the header Content-Disposition"),
        (
            good.body.replacing(
                "application/json\r\nContent-Disposition: inline; name=d",
                with: "text/plain\r\nContent-Disposition: inline; name=d"), "needs the Content-Type application/json"
        ),
        (good.body.replacing(#"["AB"]"#, with: "[]"), "A batch send takes 1 to 1000 devices, not 0."),
        (good.body.replacing(#"["AB"]"#, with: "['AB']"), "not a JSON array of strings"),
        (good.body.replacing(#"["AB"]"#, with: #""AB""#), "not a JSON array of strings"),
        (good.body.replacing(#"["AB"]"#, with: "[1]"), "not a JSON array of strings"),
        (good.body.replacing(#"["AB"]"#, with: #"["AB", ""]"#), "A device handle has 1 to 4096 characters."),
        (good.body.replacing(#"{"aps":{"alert":"hello"}}"#, with: "{"), "it is not JSON"),
    ])
    func aWrongBatchIsRefusedWithItsReason(body: String, reason: String) async throws {
        try await EmulatorFixture.run { fixture in
            var batch = Self.good
            batch.body = body
            let reply = try await fixture.exchange(batch.request(fixture))
            #expect(reply.status == 400)
            #expect(reply.body.contains(reason), "\(reply.body)")
            #expect(fixture.emulator.count().taken == 0)
            #expect(fixture.emulator.journal().first?.kind == .batch)
        }
    }

    @Test(arguments: [
        ("application/json", "needs the Content-Type multipart/mixed"), (nil, "needs the Content-Type multipart/mixed"),
        ("multipart/mixed", "has no boundary"), ("multipart/mixed; boundary=\"b \"", "The boundary has characters"),
        ("multipart/mixed; boundary=\"\(String(repeating: "b", count: 71))\"", "The boundary has characters"),
        ("multipart/mixed; boundary=", "The Content-Type is not valid."),
    ])
    func aBatchNeedsAContentTypeWithABoundary(type: String?, reason: String) async throws {
        try await EmulatorFixture.run { fixture in
            var batch = Self.good
            batch.type = type
            let reply = try await fixture.exchange(batch.request(fixture))
            #expect(reply.status == 400)
            #expect(reply.body.contains(reason), "\(reply.body)")
        }
    }

    @Test func anImpossibleDirectSendIsRefused() async throws {
        try await EmulatorFixture.run { fixture in
            for (request, reason) in [
                (direct(fixture, to: nil), "needs the header ServiceBusNotification-DeviceHandle"),
                (direct(fixture, to: ""), "needs the header ServiceBusNotification-DeviceHandle"),
                (direct(fixture, to: "AB", query: "direct&test"), "cannot be a test send"),
                (direct(fixture, to: "AB", format: "template", body: "{}"), "cannot have the template format"),
                (direct(fixture, to: "AB", format: "browser"), "needs the headers Auth and P256DH"),
                (Self.good.request(fixture, "/news/messages/$batch?api-version=2020-06"), "needs direct in the query"),
                (Self.good.request(fixture, "/news/messages/$batch?direct&test"), "cannot be a test send"),
                (Self.good.request(fixture, format: "template"), "cannot have the template format"),
            ] {
                let reply = try await fixture.exchange(request)
                #expect(reply.status == 400)
                #expect(reply.body.contains(reason), "\(reply.body)")
            }
            let browser = direct(
                fixture, to: "https://push.example/x", format: "browser", ["Auth": "A", "P256DH": "P"])
            #expect(try await fixture.exchange(browser).status == 201)
        }
    }

    @Test func theFreeTierHasNoBatchSend() async throws {
        try await EmulatorFixture.run({ $0.tier = .free }) { fixture in
            #expect(try await fixture.exchange(direct(fixture, to: "AB")).status == 201)
            let reply = try await fixture.exchange(Self.good.request(fixture))
            #expect(reply.status == 403)
            #expect(reply.headers["retry-after"] == nil)
        }
    }

    @Test func aBatchNeedsTheSendRight() async throws {
        try await EmulatorFixture.run { fixture in
            for (request, status) in [
                (Self.good.request(fixture, token: fixture.token("listener")), 403),
                (Self.good.request(fixture, token: ""), 401),
                (fixture.request("GET", "/news/messages/$batch?direct"), 405),
            ] {
                let reply = try await fixture.exchange(request)
                #expect(reply.status == status)
            }
        }
    }

    @Test func aFaultCanAnswerABatchThatIsDelivered() async throws {
        try await EmulatorFixture.run { fixture in
            var fault = Fault(.nth(1), status: 504)
            fault.taken = true
            try fixture.emulator.add(fault)
            #expect(try await fixture.exchange(Self.good.request(fixture)).status == 504)
            let entry = try #require(fixture.emulator.journal().first)
            #expect(entry.taken && entry.kind == .batch && entry.handles == 1 && entry.status == 504)
            #expect(try fixture.emulator.inbox(ofHandle: "AB", at: "news").count == 1)
        }
    }
}

/// The request of a batch direct send, which tests modify.
struct Batch: Sendable {
    var payload = #"{"aps":{"alert":"hello"}}"# {
        didSet { body = Self.body(payload, handles) }
    }
    var type: String? = "multipart/mixed; boundary=\"b\""
    var body: String
    private let handles: [String]

    init(_ handles: some Sequence<String>) {
        self.handles = Array(handles)
        body = Self.body(payload, self.handles)
    }

    private static func body(_ payload: String, _ handles: [String]) -> String {
        """
        --b\r
        Content-Type: application/json;charset=utf-8\r
        Content-Disposition: inline; name=notification\r
        \r
        \(payload)\r
        --b\r
        Content-Type: application/json\r
        Content-Disposition: inline; name=devices\r
        \r
        \(handles.debugDescription)\r
        --b--
        """
    }

    func request(
        _ fixture: EmulatorFixture, _ target: String = "/news/messages/$batch?api-version=2020-06&direct",
        token: String? = nil,
        format: String = "apple"
    ) -> String {
        var headers = ["ServiceBusNotification-Format": format]
        headers["Content-Type"] = type
        return fixture.request("POST", target, token: token, headers: headers, body: body)
    }
}
