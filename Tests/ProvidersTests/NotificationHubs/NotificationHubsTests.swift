import HTTPTransport
import PushModel
import Signing
import Testing

@testable import Providers

@Suite struct NotificationHubsTests {
    private func request(_ post: Post) throws -> Request {
        try TestHub.hub().request(for: post, id: 1, with: TestHub.pass())
    }

    private func refusal(_ post: Post) throws -> InvalidPost? {
        let hub = try TestHub.hub()
        return #expect(throws: InvalidPost.self) { try hub.request(for: post, id: 1, with: TestHub.pass()) }
    }

    private func names(_ post: Post) throws -> [String] {
        try TestHub.lines(try TestHub.hub(), post, TestHub.pass()).map { $0.name.lowercased() }
    }

    @Test func onlyABroadcastIsSentWithoutTags() throws {
        #expect(try !names(TestHub.post(to: .broadcast)).contains("servicebusnotification-tags"))
        #expect(try names(TestHub.post(to: .tag("a"))).contains("servicebusnotification-tags"))
    }

    @Test(arguments: ["", " ", "   ", "\t", "\u{a0}", "\u{3000} ", "\r\n"])
    func anEmptyTagIsNeverSent(tag: String) throws {
        #expect(try refusal(TestHub.post(to: .tag(tag))) == .emptyTag)
    }

    @Test(arguments: ["World\r\nX: y", "a\nb", "a\u{0}b", "Monde é", "a\tb", "a\u{7f}", "日本"])
    func aTagThatNoHeaderCanHoldIsNeverSent(tag: String) throws {
        let error = try #require(try refusal(TestHub.post(to: .tag(tag))))
        guard case .tag = error else {
            Issue.record("\(error)")
            return
        }
        guard case .targetInvalid = error.verdict else {
            Issue.record("\(error.verdict)")
            return
        }
        #expect(!error.description.contains(tag))
    }

    @Test func aTagExpressionIsSentUnchanged() throws {
        let expression = "(a || b) && !c_1@x.y:z#-"
        let line = try HeaderLine("ServiceBusNotification-Tags", expression)
        #expect(try request(TestHub.post(to: .tag(expression))).headers == [line])
    }

    @Test func aBodyHasAtMost64Kilobytes() throws {
        let most = TestHub.post(body: String(repeating: "x", count: 65_536))
        #expect(try request(most).body.count == 65_536)
        let error = try refusal(TestHub.post(body: String(repeating: "x", count: 65_537)))
        #expect(error == .bodyTooLarge(65_537))
        #expect(error?.verdict == .tooLarge(because: "body has 65537 bytes, at most 65536 are allowed"))
    }

    @Test(arguments: ["", "sms", "template ", "apns"])
    func anUnknownFormatIsNeverSent(format: String) throws {
        #expect(try refusal(TestHub.post(format: format)) == .format)
    }

    @Test func theCaseOfAFormatDoesNotMatter() throws {
        let lines = try TestHub.lines(try TestHub.hub(), TestHub.post(format: "fcmV1"), TestHub.pass())
        #expect(lines.contains(try HeaderLine("ServiceBusNotification-Format", "fcmv1")))
    }

    @Test(arguments: [
        "apns-push-type", "apns-id", "APNS-Expiration", "apns-priority", "apns-topic", "apns-collapse-id", "X-WNS-Type",
        "x-wns-tag", "X-WindowsPhone-Target", "X-NotificationClass", "ServiceBusNotification-Apns-Expiry",
        "X-Baidu-Message-Type",
    ])
    func headersForThePlatformAreSent(name: String) throws {
        let sent = try request(TestHub.post(headers: [(name, "5")])).headers
        #expect(
            sent == [try HeaderLine("ServiceBusNotification-Tags", "World"), try HeaderLine(name, "5")])
    }

    @Test(arguments: [
        "Authorization", "Host", "Tags", "ServiceBusNotification-Tags", "servicebusnotification-format",
        "ServiceBusNotification-DeviceHandle", "ServiceBusNotification-ScheduleTime", "ServiceBusNotification-TestSend",
        "Content-Type", "Content-Length", "Transfer-Encoding", "User-Agent", "TrackingId", "X-Forwarded-For", "apns-",
        "x-wns-", "apns", "", "x apns-id", "Auth", "P256DH",
    ])
    func otherHeadersAreNeverSent(name: String) throws {
        #expect(try refusal(TestHub.post(headers: [(name, "5")])) == .headerNotAllowed(name: name))
    }

    @Test func aRepeatedHeaderIsRefused() throws {
        let twice = TestHub.post(headers: [("apns-priority", "5"), ("APNS-Priority", "10")])
        #expect(try refusal(twice) == .headerNotAllowed(name: "APNS-Priority"))
    }

    @Test(arguments: [("apns-id", "a\r\nTags: b"), ("apns-id", ""), ("apns-id", "é"), ("apns-\r\nTags", "b")])
    func aHeaderThatWouldBreakOutIsNeverSent(name: String, value: String) throws {
        let error = try #require(try refusal(TestHub.post(headers: [(name, value)])))
        guard case .header = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func aRefusalIsAlwaysOneLine() throws {
        let name = "bad\r\n" + String(repeating: "x", count: 10_000)
        let error = try #require(try refusal(TestHub.post(headers: [(name, "v")])))
        #expect(error.description.count < 150 && !error.description.contains { $0.isNewline })
    }

    @Test func theUserAgentNamesTheProgram() throws {
        let lines = try TestHub.lines(try TestHub.hub(version: "1.2.3"), TestHub.post(), TestHub.pass())
        #expect(lines.contains(try HeaderLine("User-Agent", "fanfare/1.2.3")))
    }

    @Test func theHubNameIsEncodedInTheURL() throws {
        let hub = try TestHub.hub("a b/../c?d", base: "http://127.0.0.1:8099")
        let request = try hub.request(for: TestHub.post(), id: 1, with: TestHub.pass())
        #expect(request.url == "http://127.0.0.1:8099/a%20b%2f..%2fc%3fd/messages?api-version=2020-06")
    }

    @Test func aHubNameHasUpTo260Characters() throws {
        _ = try TestHub.hub(String(repeating: "h", count: 260))
        #expect(throws: InvalidHub.nameLength(261)) { try TestHub.hub(String(repeating: "h", count: 261)) }
        #expect(throws: InvalidHub.nameLength(0)) { try TestHub.hub("") }
        #expect(throws: InvalidHub.dots) { try TestHub.hub("..") }
        #expect(throws: InvalidHub.self) { try TestHub.hub(version: "1\r\nX: y") }
    }
}
