import Testing

@testable import HubEmulator

/// Direct and batch direct sends: to handles, with or without a device that is registered with them.
@Suite struct DirectSendTests {
    private static let payload = #"{"aps":{"alert":"hello"}}"#

    private func direct(
        _ bench: Bench, to handle: String?, format: String = "apple", query: String = "direct",
        _ more: [String: String] = [:], body: String = DirectSendTests.payload
    ) -> String {
        var headers = more
        headers["ServiceBusNotification-Format"] = format
        headers["ServiceBusNotification-DeviceHandle"] = handle
        headers["Content-Type"] = "application/json;charset=utf-8"
        return bench.request("POST", "/news/messages?api-version=2020-06&\(query)", headers: headers, body: body)
    }

    @Test func aHandleGetsItWithoutBeingRegistered() async throws {
        try await Bench.run { bench in
            let reply = try await bench.exchange(direct(bench, to: "00FC13AD"))
            #expect(reply.status == 201)
            #expect(reply.body.isEmpty)
            let entry = try #require(bench.emulator.journal().first)
            #expect(entry.kind == .direct && entry.handles == 1 && entry.reached == 1 && entry.tags == nil)
            let id = try #require(entry.notification)
            #expect(
                reply.headers["location"] == "http://\(bench.host)/news/messages/\(id)?api-version=2020-06&direct")
            let inbox = try bench.emulator.inbox(ofHandle: "00FC13AD", at: "News")
            #expect(inbox.map(\.alert?.body) == ["hello"])
            #expect(inbox.first?.handle == "00FC13AD")
            #expect(inbox.first?.number == entry.number)
            #expect(try bench.emulator.handles(at: "news") == ["00FC13AD"])
            #expect(bench.emulator.warnings.isEmpty)
        }
    }

    /// The recorded ones: `$batch` before the id of a batch, and `direct` in the query of both kinds.
    @Test func locationsAreTheRecordedOnes() async throws {
        let cases = try #require(try Vectors.read("locations")["cases"] as? [[String: Any]])
        let recorded = cases.compactMap { $0["location"] as? String }.filter { $0.contains("?api-version=2017-04") }
        #expect(recorded.count == 3)
        try await Bench.run { bench in
            let batch = Batch(["AB"]).request(bench, "/news/messages/$batch?api-version=2017-04&direct")
            let plain = bench.request("POST", "/news/messages?api-version=2017-04", body: "{}")
            let single = direct(bench, to: "AB").replacing("2020-06", with: "2017-04")
            for (request, location) in zip([plain, single, batch], recorded) {
                let reply = try await bench.exchange(request)
                #expect(try shape(#require(reply.headers["location"])) == shape(location))
            }
        }
    }

    /// Without host, hub and the id's own digits.
    private func shape(_ location: String) -> String {
        location.replacing(/^https?:\/\/[^\/]+\/[^\/]+/, with: "")
            .replacing(/[0-9a-f]{32}-\d{14}-\d+-\d+/, with: "ID")
    }

    @Test func aBatchReachesEveryHandleAndTheDevicesBehindThem() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(Installation("phone", pushChannel: .handle("AB")), at: "news")
            try bench.emulator.register(
                Installation("droid", platform: .fcmV1, pushChannel: .handle("CD")), at: "news")
            let reply = try await bench.exchange(Batch(["AB", "CD", "EF"]).request(bench))
            #expect(reply.status == 201)
            let entry = try #require(bench.emulator.journal().first)
            #expect(entry.kind == .batch && entry.handles == 3 && entry.reached == 3)
            let id = try #require(entry.notification)
            #expect(
                reply.headers["location"]
                    == "http://\(bench.host)/news/messages/$batch/\(id)?api-version=2020-06&direct")
            for handle in ["AB", "CD", "EF"] {
                #expect(try bench.emulator.inbox(ofHandle: handle, at: "news").map(\.payload) == [Self.payload])
            }
            #expect(try bench.emulator.inbox(of: "phone", at: "news").map(\.handle) == ["AB"])
            // Its handle belongs to another platform than the one the payload is for.
            #expect(try bench.emulator.inbox(of: "droid", at: "news").isEmpty)
            #expect(bench.emulator.count().shown == 3)
        }
    }

    /// The spellings of the official clients and of the service's own page.
    @Test(arguments: [
        ("/news/messages/$batch?api-version=2020-06&direct", "multipart/mixed; boundary=\"b\""),
        ("/news/messages/$batch?direct&api-version=2015-08", "multipart/mixed; boundary = \"b\""),
        ("/news/messages/%24batch/?direct=true", "multipart/mixed;boundary=b"),
        ("/NEWS/Messages/$Batch/?direct=", "Multipart/Mixed; BOUNDARY='b'"),
    ])
    func everySpellingOfABatchIsServed(target: String, type: String) async throws {
        try await Bench.run { bench in
            var batch = Batch(["AB"])
            batch.type = type
            let plain = try await bench.exchange(batch.request(bench, target))
            #expect(plain.status == 201)
            for body in ["\r\n" + batch.body, batch.body + "\r\n", batch.body + "\r\nan epilogue"] {
                batch.body = body
                #expect(try await bench.exchange(batch.request(bench, target)).status == 201)
            }
        }
    }

    @Test func aThousandHandlesAreTakenAndOneMoreIsNot() async throws {
        try await Bench.run { bench in
            let handles = (1...1_001).map { "\($0)" + String(repeating: "f", count: 200) }
            let client = try bench.client()
            try await client.write(Batch(handles.dropLast()).request(bench))
            #expect(try await client.reply().status == 201)
            try await client.write(Batch(handles).request(bench))
            let reply = try await client.reply()
            #expect(reply.status == 400)
            #expect(reply.body.contains("A batch send takes 1 to 1000 devices, not 1001."))
            #expect(
                bench.emulator.count() == JournalCount(taken: 1, refused: 1, shown: 1_000, statuses: [201: 1, 400: 1]))
        }
    }

    @Test func thePayloadOfABatchHasTheLimitOfAnyOther() async throws {
        try await Bench.run { bench in
            var batch = Batch(["AB"])
            batch.payload = #"{"m":""# + String(repeating: "x", count: 65_536 - 8) + #""}"#
            let taken = try await bench.exchange(batch.request(bench))
            #expect(taken.status == 201)
            batch.payload += " "
            #expect(try await bench.exchange(batch.request(bench)).status == 413)
        }
    }

    private static let good = Batch(["AB"])

    /// What a sender can get wrong in a batch, and what it is told.
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
        ("--b\r\nnonsense\r\n\r\n\r\n--b--", "A line among the headers of a part is no header."),
        ("--b\r\nA: b\r\na: c\r\n\r\n\r\n--b--", "A part has the same header twice."),
        (String(repeating: "--b\r\n\r\n\r\n", count: 17) + "--b--", "The body has too many parts."),
        (good.body.replacing("name=devices", with: "name=notification"), "The part named notification is there twice."),
        (good.body.replacing("name=devices", with: "name=phones"), "A batch send has no part named phones."),
        (good.body.replacing("name=notification", with: "name=devices"), "The part named devices is there twice."),
        (good.body.replacing("inline; name=devices", with: "inline"), "needs the header Content-Disposition"),
        (
            good.body.replacing(
                "application/json\r\nContent-Disposition: inline; name=d",
                with: "text/plain\r\nContent-Disposition: inline; name=d"), "needs the Content-Type application/json"
        ),
        (good.body.replacing(#"["AB"]"#, with: "[]"), "A batch send takes 1 to 1000 devices, not 0."),
        (good.body.replacing(#"["AB"]"#, with: "['AB']"), "no JSON array of strings"),
        (good.body.replacing(#"["AB"]"#, with: #""AB""#), "no JSON array of strings"),
        (good.body.replacing(#"["AB"]"#, with: "[1]"), "no JSON array of strings"),
        (good.body.replacing(#"["AB"]"#, with: #"["AB", ""]"#), "A device handle has 1 to 4096 characters."),
        (good.body.replacing(#"{"aps":{"alert":"hello"}}"#, with: "{"), "it is no JSON"),
    ])
    func aBatchThatIsWrongIsToldWhatIs(body: String, reason: String) async throws {
        try await Bench.run { bench in
            var batch = Self.good
            batch.body = body
            let reply = try await bench.exchange(batch.request(bench))
            #expect(reply.status == 400)
            #expect(reply.body.contains(reason), "\(reply.body)")
            #expect(bench.emulator.count().taken == 0)
            #expect(bench.emulator.journal().first?.kind == .batch)
        }
    }

    @Test(arguments: [
        ("application/json", "needs the Content-Type multipart/mixed"), (nil, "needs the Content-Type multipart/mixed"),
        ("multipart/mixed", "names no boundary"), ("multipart/mixed; boundary=\"b \"", "The boundary has characters"),
        ("multipart/mixed; boundary=\"\(String(repeating: "b", count: 71))\"", "The boundary has characters"),
        ("multipart/mixed; boundary=", "The Content-Type is not valid."),
    ])
    func aBatchNeedsATypeWithABoundary(type: String?, reason: String) async throws {
        try await Bench.run { bench in
            var batch = Self.good
            batch.type = type
            let reply = try await bench.exchange(batch.request(bench))
            #expect(reply.status == 400)
            #expect(reply.body.contains(reason), "\(reply.body)")
        }
    }

    @Test func whatADirectSendCannotBeIsRefused() async throws {
        try await Bench.run { bench in
            for (request, reason) in [
                (direct(bench, to: nil), "needs the header ServiceBusNotification-DeviceHandle"),
                (direct(bench, to: ""), "needs the header ServiceBusNotification-DeviceHandle"),
                (direct(bench, to: "AB", query: "direct&test"), "cannot be a test send"),
                (direct(bench, to: "AB", format: "template", body: "{}"), "cannot be in the template format"),
                (direct(bench, to: "AB", format: "browser"), "needs the headers Auth and P256DH"),
                (Self.good.request(bench, "/news/messages/$batch?api-version=2020-06"), "needs direct in the query"),
                (Self.good.request(bench, "/news/messages/$batch?direct&test"), "cannot be a test send"),
                (Self.good.request(bench, format: "template"), "cannot be in the template format"),
            ] {
                let reply = try await bench.exchange(request)
                #expect(reply.status == 400)
                #expect(reply.body.contains(reason), "\(reply.body)")
            }
            let browser = direct(bench, to: "https://push.example/x", format: "browser", ["Auth": "A", "P256DH": "P"])
            #expect(try await bench.exchange(browser).status == 201)
        }
    }

    @Test func theFreeTierHasNoBatch() async throws {
        try await Bench.run({ $0.tier = .free }) { bench in
            #expect(try await bench.exchange(direct(bench, to: "AB")).status == 201)
            let reply = try await bench.exchange(Self.good.request(bench))
            #expect(reply.status == 403)
            #expect(reply.headers["retry-after"] == nil)
        }
    }

    @Test func aBatchNeedsTheSendRight() async throws {
        try await Bench.run { bench in
            for (request, status) in [
                (Self.good.request(bench, token: bench.token("listener")), 403),
                (Self.good.request(bench, token: ""), 401), (bench.request("GET", "/news/messages/$batch?direct"), 405),
            ] {
                let reply = try await bench.exchange(request)
                #expect(reply.status == status)
            }
        }
    }

    @Test func aFaultStrikesABatchAndCanHaveItTakenAllTheSame() async throws {
        try await Bench.run { bench in
            var fault = Fault(.nth(1), status: 504)
            fault.taken = true
            try bench.emulator.add(fault)
            #expect(try await bench.exchange(Self.good.request(bench)).status == 504)
            let entry = try #require(bench.emulator.journal().first)
            #expect(entry.taken && entry.kind == .batch && entry.handles == 1 && entry.status == 504)
            #expect(try bench.emulator.inbox(ofHandle: "AB", at: "news").count == 1)
        }
    }
}

/// The request of a batch direct send, to be spoilt.
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
        _ bench: Bench, _ target: String = "/news/messages/$batch?api-version=2020-06&direct", token: String? = nil,
        format: String = "apple"
    ) -> String {
        var headers = ["ServiceBusNotification-Format": format]
        headers["Content-Type"] = type
        return bench.request("POST", target, token: token, headers: headers, body: body)
    }
}
