import HTTPTransport
import PushModel
import Testing

@testable import Providers

/// Posts to devices by their handles, one or many.
@Suite struct DirectSendTests {
    private func post(
        _ handles: [String], format: String = "apple", headers: [(String, String)] = [],
        body: String = #"{"aps":{"alert":"x"}}"#
    ) -> Post {
        TestHub.post(to: .handles(handles), format: format, headers: headers, body: body)
    }

    private func request(_ post: Post) throws -> Request {
        try TestHub.hub().request(for: post, id: 1, with: TestHub.pass())
    }

    private func refusal(_ post: Post) throws -> InvalidPost? {
        let hub = try TestHub.hub()
        return #expect(throws: InvalidPost.self) { try hub.request(for: post, id: 1, with: TestHub.pass()) }
    }

    private func body(_ post: Post) throws -> String { String(decoding: try request(post).body, as: UTF8.self) }

    @Test func oneHandleIsADirectSend() throws {
        let request = try request(post(["00FC13AD"], headers: [("apns-priority", "5")]))
        #expect(request.url == "https://contoso.servicebus.windows.net/myhub/messages?api-version=2020-06&direct")
        #expect(
            request.headers == [
                try HeaderLine("ServiceBusNotification-DeviceHandle", "00FC13AD"), try HeaderLine("apns-priority", "5"),
            ])
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"aps":{"alert":"x"}}"#)
    }

    @Test func severalHandlesAreABatchInTwoParts() throws {
        #expect(
            try body(post(["a", "b"])) == """
                --nh-batch-multipart-boundary\r
                Content-Type: application/json;charset=utf-8\r
                Content-Disposition: inline; name=notification\r
                \r
                {"aps":{"alert":"x"}}\r
                --nh-batch-multipart-boundary\r
                Content-Type: application/json\r
                Content-Disposition: inline; name=devices\r
                \r
                ["a","b"]\r
                --nh-batch-multipart-boundary--\r

                """)
    }

    @Test func aBatchCarriesHeadersForThePlatform() throws {
        let request = try request(post(["a", "b"], headers: [("apns-priority", "5")]))
        #expect(request.headers == [try HeaderLine("apns-priority", "5")])
    }

    @Test(arguments: [
        ("windows", [("X-WNS-Type", "wns/toast")], "application/xml"),
        ("windows", [("X-WNS-Type", "wns/raw")], "application/octet-stream"),
        ("adm", [], "application/json"), ("fcmv1", [], "application/json;charset=utf-8"),
    ])
    func thePayloadKeepsItsContentTypeInABatch(format: String, headers: [(String, String)], type: String) throws {
        let body = try body(post(["a", "b"], format: format, headers: headers))
        #expect(body.hasPrefix("--nh-batch-multipart-boundary\r\nContent-Type: \(type)\r\nContent-Disposition"))
    }

    @Test(arguments: [
        "nh-batch-multipart-boundary", "--nh-batch-multipart-boundary--", "\r\n--nh-batch-multipart-boundary",
    ])
    func theBoundaryOccursInNoPart(trap: String) throws {
        let traps = [
            post(["a", "b"], body: trap + "nh-batch-multipart-boundary-1-"),
            post(["a", trap.filter { !$0.isWhitespace } + "/nh-batch-multipart-boundary-1-"]),
        ]
        for post in traps {
            let hub = try TestHub.hub()
            let request = try hub.request(for: post, id: 1, with: TestHub.pass())
            let text = String(decoding: request.body, as: UTF8.self)
            #expect(text.hasPrefix("--nh-batch-multipart-boundary-2-\r\n"))
            #expect(text.hasSuffix("\r\n--nh-batch-multipart-boundary-2---\r\n"))
            #expect(text.ranges(of: "nh-batch-multipart-boundary-2-").count == 3)
            let kind = SharedHeaderCache.Kind(format: .apple, raw: false, boundary: "nh-batch-multipart-boundary-2-")
            #expect(
                try hub.shared.lines(for: kind, with: TestHub.pass()).contains(
                    try HeaderLine("Content-Type", "multipart/mixed; boundary=\"nh-batch-multipart-boundary-2-\"")))
        }
    }

    @Test func batchesShareHeadersUnlessTheBoundaryIsUnusual() throws {
        let hub = try TestHub.hub()
        func shared(_ post: Post) throws -> SharedHeaders {
            try hub.request(for: post, id: 1, with: TestHub.pass()).shared
        }
        let one = try shared(post(["a", "b"]))
        #expect(try shared(post(["c", "d"])) === one)
        #expect(try shared(post(["a"])) !== one)
        let odd = post(["a", "b"], body: "nh-batch-multipart-boundary")
        #expect(try shared(odd) !== shared(odd))
        #expect(try shared(post(["a", "b"])) === one)
    }

    @Test func handlesAreQuotedAsJSON() throws {
        #expect(try body(post([#"a"b\c"#, "https://x/?y=<z>&"])).contains(#"["a\"b\\c","https://x/?y=<z>&"]"#))
    }

    @Test func aThousandHandlesAreTheLimit() throws {
        func many(_ count: Int) -> Post { post((0..<count).map { "handle-\($0)" }) }
        #expect(try body(many(1000)).contains(#""handle-998","handle-999"]"#))
        #expect(try refusal(many(1001)) == .handleCount(1001))
        #expect(try refusal(many(0)) == .handleCount(0))
    }

    @Test func theSizeLimitIsThatOfThePayload() throws {
        let long = (0..<1000).map { String(repeating: "h", count: 200) + "\($0)" }
        #expect(try request(post(long, body: String(repeating: "x", count: 65_536))).body.count > 265_536)
        #expect(
            try refusal(post(["a", "b"], body: String(repeating: "x", count: 65_537))) == .bodyTooLarge(65_537))
    }

    @Test(arguments: ["", " ", "a b", "a\r\nTags: x", "é", String(repeating: "h", count: 4097)])
    func aMalformedHandleIsNeverSent(handle: String) throws {
        for post in [post([handle]), post(["a", handle])] {
            let error = try #require(try refusal(post))
            #expect(error == .handle)
            guard case .targetInvalid = error.verdict else {
                Issue.record("\(error.verdict)")
                return
            }
        }
    }

    @Test func aTemplateIsNeverSentToAHandle() throws {
        #expect(try refusal(post(["a"], format: "template")) == .templateForHandles)
        #expect(try refusal(post(["a", "b"], format: "Template")) == .templateForHandles)
    }

    @Test func aBrowserNeedsOneHandleWithItsKeys() throws {
        let keys = [("Auth", "a"), ("P256DH", "p")]
        let sent = try request(post(["https://push.example/1"], format: "browser", headers: keys)).headers
        #expect(sent.map(\.name) == ["ServiceBusNotification-DeviceHandle", "Auth", "P256DH"])
        #expect(try refusal(post(["a", "b"], format: "browser", headers: keys)) == .browserKeys)
        #expect(try refusal(post(["a"], format: "browser", headers: [keys[0]])) == .browserKeys)
        #expect(try refusal(post(["a"], headers: keys)) == .headerNotAllowed(name: "Auth"))
        let byTag = TestHub.post(format: "browser", headers: keys)
        #expect(try refusal(byTag) == .headerNotAllowed(name: "Auth"))
    }

    @Test func aTestSendToHandlesIsRefused() throws {
        let hub = try TestHub.hub()
        for handles in [["a"], ["a", "b"]] {
            #expect(throws: InvalidPost.testOfHandles) {
                try hub.testRequest(for: post(handles), id: 1, with: TestHub.pass())
            }
        }
    }

    @Test func aTestSendCarriesItsTrackingId() throws {
        let hub = try TestHub.hub()
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e"
        let tracked = try hub.testRequest(for: TestHub.post(), id: 1, with: TestHub.pass(), tracking: id)
        #expect(tracked.headers.contains(try HeaderLine("TrackingId", id)))
        let plain = try hub.testRequest(for: TestHub.post(), id: 1, with: TestHub.pass())
        #expect(!plain.headers.contains { $0.name == "TrackingId" })
    }

    @Test func noRefusalPrintsAHandle() throws {
        let error = try #require(try refusal(post(["secret handle"])))
        #expect(!"\(error)".contains("secret"))
    }
}
