import HTTPTransport
import PushModel
import Testing
import VectorSupport

@testable import Providers

@Suite struct HubAnswerTests {
    private func answer(_ reply: Reply) throws -> Answer { try TestHub.hub().answer(to: reply) }

    private func answer(_ status: Int, _ headers: [(String, String)] = [], body: String = "") throws -> Answer {
        try answer(TestHub.reply(status, headers, body: body))
    }

    /// A verdict as the vectors name it, and its delay.
    private func word(_ verdict: Verdict) -> (String, Double?) {
        switch verdict {
        case .accepted: ("accepted", nil)
        case .throttled(let after, _, _): ("throttled", after)
        case .unavailable(let after, _): ("retry", after)
        case .notSent: ("retry", nil)
        case .authExpired: ("refresh_token", nil)
        case .authFailed, .hubNotFound, .quotaExceeded: ("permanent_hub", nil)
        case .rejected, .tooLarge, .targetGone, .targetInvalid: ("permanent_message", nil)
        case .unknown: ("unknown_outcome", nil)
        }
    }

    struct File: Decodable {
        struct Expectation: Decodable {
            let cls: String
            let delay: Double?
        }
        struct Case: Decodable {
            let id: String
            let status: Int
            let headers: [String: String]
            let expect: Expectation
        }
        struct Event: Decodable {
            let event: String
            let cls: String
        }
        let cases: [Case]
        let transport: [Event]
    }

    @Test func everyStatusOfTheVectorsHasItsVerdict() throws {
        let cases = try Vectors.read("response_classification", as: File.self).cases
        #expect(cases.count == 18)
        for vector in cases {
            let answer = try answer(vector.status, vector.headers.map { ($0, $1) })
            let (word, delay) = word(answer.verdict)
            // One answer cannot know that it is the second 401: the worker pauses the hub after that.
            let expected = vector.id == "401-again-after-fresh-token" ? "refresh_token" : vector.expect.cls
            #expect(word == expected, "\(vector.id)")
            #expect(delay == vector.expect.delay, "\(vector.id)")
            #expect(answer.status == vector.status && answer.milliseconds == 12)
            #expect((answer.error == nil) == (word == "accepted"), "\(vector.id)")
        }
    }

    @Test func everyEndOfATransferHasItsVerdict() throws {
        let ends: [String: Reply.Outcome] = [
            "dns failure": .notSent(.init(code: 6, text: "could not resolve host")),
            "connection refused": .notSent(.init(code: 7, text: "could not connect")),
            "tls verification failed": .notSent(.init(code: 60, text: "certificate has expired")),
            "connect timeout, nothing sent": .notSent(.init(code: 28, text: "timed out")),
            "timeout or reset after the request body was sent": .unknown(.init(code: 56, text: "reset by peer")),
        ]
        let events = try Vectors.read("response_classification", as: File.self).transport
        #expect(events.count == 5)
        for event in events {
            let reply = Reply(id: 1, outcome: try #require(ends[event.event]), milliseconds: 3)
            let answer = try answer(reply)
            #expect(word(answer.verdict).0 == event.cls, "\(event.event)")
            #expect(answer.status == nil && answer.error != nil && answer.milliseconds == 3)
        }
    }

    @Test(arguments: [51, 58, 60, 77, 83, 90, 91, 94])
    func aCertificateThatDoesNotVerifyPausesTheHub(code: Int32) throws {
        let fault = Reply.Fault(code: code, text: "no")
        #expect(try answer(Reply(id: 1, outcome: .notSent(fault))).verdict == .authFailed(because: "no"))
        // If something may have been sent before, that decides the verdict.
        #expect(try answer(Reply(id: 1, outcome: .unknown(fault))).verdict == .unknown(because: "no"))
    }

    @Test(arguments: [6, 7, 28, 35, 56])
    func anyOtherFaultBeforeSendingIsNotSent(code: Int32) throws {
        let fault = Reply.Fault(code: code, text: "")
        #expect(
            try answer(Reply(id: 1, outcome: .notSent(fault))).verdict == .notSent(because: "curl error \(code)"))
    }

    @Test(arguments: [200, 201, 202, 204, 299])
    func everySuccessIsAccepted(status: Int) throws {
        #expect(try answer(status).verdict == .accepted)
    }

    @Test(arguments: [
        (400, "rejected"), (402, "rejected"), (405, "rejected"), (409, "rejected"), (410, "rejected"),
        (422, "rejected"), (431, "rejected"), (499, "rejected"), (413, "tooLarge"), (401, "authExpired"),
        (301, "hubNotFound"), (302, "hubNotFound"), (304, "hubNotFound"), (307, "hubNotFound"), (308, "hubNotFound"),
        (404, "hubNotFound"), (501, "hubNotFound"), (505, "hubNotFound"), (403, "authFailed"), (407, "authFailed"),
        (408, "unavailable"), (500, "unavailable"), (502, "unavailable"), (503, "unavailable"), (504, "unavailable"),
        (599, "unavailable"), (429, "throttled"), (0, "unknown"), (101, "unknown"), (600, "unknown"), (999, "unknown"),
    ])
    func everyStatusHasAVerdict(status: Int, name: String) throws {
        #expect("\(try answer(status).verdict)".hasPrefix(name + "("))
    }

    @Test(arguments: [403, 429, 503])
    func everyFormOfRetryAfterThrottles(status: Int) throws {
        let date = ("Date", "Thu, 01 Jan 2026 00:00:00 GMT")
        let because = "hub replied \(status)"
        for (headers, seconds) in [
            ([("Retry-After", "7")], 7.0), ([("Retry-After", "0")], 0), ([("Retry-After", " 2.5 ")], 2.5),
            ([("retry-after-ms", "250")], 0.25), ([("x-ms-retry-after-ms", "1500")], 1.5),
            ([("Retry-After", "9"), ("retry-after-ms", "250")], 0.25),
            ([("Retry-After", "9"), ("retry-after-ms", "soon")], 9),
            ([date, ("Retry-After", "Thu, 01 Jan 2026 00:00:30 GMT")], 30),
            ([date, ("Retry-After", "Wed, 31 Dec 2025 23:59:00 GMT")], 0),
            ([("Retry-After", "soon")], 10), ([("Retry-After", "-3")], 10), ([("Retry-After", "")], 10),
            ([("Retry-After", "1e9")], 10), ([("Retry-After", "99999999999999999999")], 3600),
            ([date, ("Retry-After", "Fri, 02 Jan 2026 00:00:00 GMT")], 3600),
        ] {
            #expect(
                try answer(status, headers).verdict == .throttled(after: seconds, because: because), "\(headers)")
        }
    }

    @Test func withoutADateHeaderADateCountsFromArrival() throws {
        // `TestHub.reply` arrives on 2026-01-01 at 00:00:00.
        let verdict = try answer(429, [("Retry-After", "Thu, 01 Jan 2026 00:00:45 GMT")]).verdict
        #expect(verdict == .throttled(after: 45, because: "hub replied 429"))
    }

    @Test func throttlingWithoutATimeWaitsTenSeconds() throws {
        #expect(try answer(429).verdict == .throttled(after: 10, because: "hub replied 429"))
    }

    @Test func otherServerErrorsKeepTheirTimeToWait() throws {
        #expect(
            try answer(500, [("Retry-After", "3")]).verdict == .unavailable(after: 3, because: "hub replied 500"))
        #expect(try answer(408).verdict == .unavailable(after: nil, because: "hub replied 408"))
    }

    @Test func theReasonQuotesTheService() throws {
        let body = "<Error><Code>404</Code><Detail>No service.TrackingId:g_1,TimeStamp:x</Detail></Error>"
        let answer = try answer(404, body: body)
        #expect(answer.verdict == .hubNotFound(because: "hub replied 404: No service"))
        #expect(answer.error == "No service")
        #expect(answer.tracking == "g_1")
    }

    @Test func aProxysPageAppearsOnlyInTheError() throws {
        let answer = try answer(502, body: "<html><body>Bad\r\nGateway</body></html>")
        #expect(answer.error == "<html><body>Bad Gateway</body></html>")
        #expect(answer.verdict == .unavailable(after: nil, because: "hub replied 502"))
    }

    @Test func theBestTrackingIdIsKept() throws {
        let body = "<Error><Detail>a.TrackingId:body_1,TimeStamp:x</Detail></Error>"
        let all = [("x-ms-correlation-request-id", "correlation"), ("TrackingId", "header")]
        #expect(try answer(400, all, body: body).tracking == "header")
        #expect(try answer(400, [all[0]], body: body).tracking == "body_1")
        #expect(try answer(201, [all[0]]).tracking == "correlation")
        #expect(try answer(201, [("TrackingId", " ")]).tracking == nil)
        #expect(try answer(201).tracking == nil)
    }

    @Test func onlyAnAcceptedPostHasANotificationId() throws {
        let location = [("Location", "https://elsewhere/myhub/messages/id-1?api-version=2020-06")]
        #expect(try answer(201, location).notification == "id-1")
        #expect(try answer(301, location).notification == nil)
        #expect(try answer(201).notification == nil)
    }

    @Test func noAnswerQuotesAToken() throws {
        let token = try #require(TestHub.pass().header).reveal()
        let fault = Reply.Fault(code: 7, text: "sent \(token)")
        let replies = [
            TestHub.reply(502, body: "<html>Authorization: \(token)</html>"),
            TestHub.reply(400, body: "<Error><Detail>bad \(token)</Detail></Error>"),
            TestHub.reply(400, [("TrackingId", token)], body: token.replacing("&", with: "&amp;")),
            Reply(id: 1, outcome: .notSent(fault)), Reply(id: 1, outcome: .unknown(fault)),
        ]
        for reply in replies {
            let answer = try answer(reply)
            let printed = "\(answer)"
            #expect(printed.contains("•••"))
            #expect(!printed.contains("sig=") && !printed.contains("SharedAccessSignature"))
        }
    }

    /// What the service says becomes part of a sentence.
    @Test func theWordsOfTheServiceHaveOneFullStop() throws {
        let body = "<Error><Code>401</Code><Detail>Manage claim is required for this operation.</Detail></Error>"
        let response = Reply.Response(status: 401, body: Array(body.utf8))
        let words = "\(try answer(Reply(id: 1, outcome: .answered(response))).verdict)"
        #expect(words.contains("hub replied 401: Manage claim is required for this operation\""), "\(words)")
    }
}
