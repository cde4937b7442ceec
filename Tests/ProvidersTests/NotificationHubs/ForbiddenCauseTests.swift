import PushModel
import Testing

@testable import Providers

/// What a 403 without a time means, from the service's words.
@Suite struct ForbiddenCauseTests {
    @Test(arguments: [
        ("The registration operations rate is too high.", ForbiddenCause.throttled),
        ("Request is throttled.", .throttled),
        ("SubCode=42900. Too many requests", .throttled),
        ("SubCode=50004. The server is busy", .throttled),
        ("The quota is exceeded and the rate is too high", .throttled),
        ("Quota exceeded or message too large; message was rejected.", .quota),
        ("The batch direct send is not available in the tier of this hub.", .quota),
        ("The namespace SKU does not support this operation", .quota),
        ("The number of active devices exceeded what the hub may have", .quota),
        ("The message is too large.", .tooLarge),
        ("The payload size exceeded the limit", .tooLarge),
        ("", .refused),
        ("Send claim is required for this operation.", .refused),
        ("The frontier refuses", .refused),
    ])
    func theWordsTell(detail: String, cause: ForbiddenCause) {
        #expect(ForbiddenCause(HubError(body: Array("<Error><Detail>\(detail)</Detail></Error>".utf8))) == cause)
    }

    @Test func eachHasItsVerdict() throws {
        func verdict(_ detail: String, _ headers: [(String, String)] = []) throws -> Verdict {
            let body = "<Error><Code>403</Code><Detail>\(detail)</Detail></Error>"
            return try TestHub.hub().answer(to: TestHub.reply(403, headers, body: body)).verdict
        }
        #expect(try verdict("throttled") == .throttled(after: 10, because: "hub replied 403: throttled"))
        #expect(try verdict("quota") == .quotaExceeded(because: "hub replied 403: quota"))
        #expect(try verdict("too large") == .tooLarge(because: "hub replied 403: too large"))
        #expect(try verdict("") == .authFailed(because: "hub replied 403"))
        #expect(
            try verdict("quota", [("Retry-After", "7")]) == .throttled(after: 7, because: "hub replied 403: quota"),
            "a time to wait is clearer than words")
    }

    /// A proxy's page may speak of anything.
    @Test func onlyTheServicesOwnWordsCount() throws {
        let reply = TestHub.reply(403, body: "<html>Your web quota is used up; file too large</html>")
        #expect(try TestHub.hub().answer(to: reply).verdict == .authFailed(because: "hub replied 403"))
    }
}
