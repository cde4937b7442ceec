import Foundation
import HTTPTransport
import PushModel
import Testing
import VectorSupport

@testable import Providers

@Suite struct FCMAnswerTests {
    private func answer(_ reply: Reply, doubtsUnavailable: Bool = false) throws -> Answer {
        try TestFCM.fcm(doubtsUnavailable: doubtsUnavailable).answer(to: reply)
    }

    private func verdict(_ status: Int, _ headers: [(String, String)] = [], _ body: String = "") throws -> Verdict {
        try answer(TestFCM.reply(status, headers, text: body)).verdict
    }

    /// A verdict as the vectors name it, with the seconds to wait.
    private func word(_ verdict: Verdict) -> (String, Double?) {
        switch verdict {
        case .throttled(let after, _, _): (verdict.kind.name, after)
        case .unavailable(let after, _): (verdict.kind.name, after)
        case .hubNotFound: ("auth_failed", nil)
        default: (verdict.kind.name, nil)
        }
    }

    @Test func everyAnswerOfTheVectorsHasItsVerdict() throws {
        let cases = try Vectors.objects("fcm-apns/fcm-responses", "cases")
        #expect(cases.count == 20)
        for vector in cases {
            let name = try #require(vector["name"] as? String)
            let status = try #require(vector["status"] as? Int)
            let expected = try #require(vector["expect"] as? [String: Any])
            let headers = try #require(vector["headers"] as? [String: String])
            let body = try (vector["body"] as? String) ?? TestFCM.text(#require(vector["body"]))
            let reply = TestFCM.reply(status, headers.map { ($0, $1) }, text: body)
            let answer = try answer(reply)
            let (word, wait) = word(answer.verdict)
            #expect(word == expected["outcome"] as? String, "\(name)")
            #expect(answer.status == status && answer.milliseconds == 12)
            #expect(answer.notification == expected["hub_message_id"] as? String, "\(name)")
            let retry = try #require(expected["retry"] as? String)
            switch retry {
            case "none", "refresh_once": #expect(wait == nil, "\(name)")
            case "backoff:min10": #expect(wait == 10, "\(name)")
            default: #expect("after:\(Int(wait ?? -1))" == retry, "\(name)")
            }
            let error = FCMError(body: Array(body.utf8))
            let code = ["fcm", "\(status)", error.name, error.violations.first?.field].compactMap(\.self)
            #expect(code.joined(separator: ":") == expected["code"] as? String, "\(name)")
            // Deliveries after a 500 or 503 have been seen: a hub may ask for doubt instead.
            let mayHaveArrived = expected["possibly_accepted"] as? Bool ?? false
            let doubted = try self.answer(reply, doubtsUnavailable: true).verdict
            if mayHaveArrived && status != 502 {
                guard case .unknown = doubted else { return #expect(Bool(false), "\(name)") }
            } else {
                #expect(doubted == answer.verdict, "\(name)")
            }
        }
    }

    @Test(arguments: [
        (400, "rejected"), (402, "rejected"), (405, "rejected"), (409, "rejected"), (410, "rejected"),
        (422, "rejected"), (499, "rejected"), (413, "too_large"), (401, "auth_expired"), (403, "auth_failed"),
        (407, "auth_failed"), (301, "hub_not_found"), (302, "hub_not_found"), (307, "hub_not_found"),
        (404, "hub_not_found"), (501, "hub_not_found"), (505, "hub_not_found"), (408, "unavailable"),
        (500, "unavailable"), (502, "unavailable"), (503, "unavailable"), (599, "unavailable"), (504, "unknown"),
        (429, "throttled"), (0, "unknown"), (101, "unknown"), (600, "unknown"),
    ])
    func everyStatusHasAVerdictWhateverItsBody(status: Int, name: String) throws {
        for body in ["", "<!DOCTYPE html><title>Error</title>", "{", "{}", #"{"error":{}}"#, #"{"error":"x"}"#, "[]"] {
            #expect(try verdict(status, [], body).kind.name == name, "\(body)")
        }
    }

    @Test func anAnswerOfAMegabyteIsReadByItsStatus() throws {
        let start = TestFCM.error("NOT_FOUND", code: "UNREGISTERED").dropLast(3)
        for big in [start + String(repeating: " ", count: 1 << 20), "<p>" + String(repeating: "x", count: 1 << 20)] {
            let answer = try answer(TestFCM.reply(404, text: String(big)))
            #expect(answer.verdict.kind == .hubNotFound)
            #expect(try #require(answer.error).count <= 500)
        }
    }

    @Test func everySentenceOfGooglesHasItsStop() throws {
        let violation: [String: Any] = [
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [["field": "message.token", "description": "Invalid registration token"]],
        ]
        for (message, words) in [
            ("The registration token is wrong", "The registration token is wrong. Invalid registration token"),
            ("Request is wrong.", "Request is wrong. Invalid registration token"), ("", "Invalid registration token"),
        ] {
            let body = TestFCM.error("INVALID_ARGUMENT", message: message, details: [violation])
            #expect(
                try verdict(400, [], body)
                    == .targetInvalid(because: "FCM replied 400 INVALID_ARGUMENT (message.token): \(words)"))
        }
    }

    /// A token is deleted by its owner after this, so nothing else may lead to it.
    @Test func onlyUnregisteredMeansThatTheTargetIsGone() throws {
        let gone = TestFCM.error("NOT_FOUND", code: "UNREGISTERED")
        #expect(try verdict(404, [], gone).kind == .targetGone)
        for body in [
            "", "<html>404</html>", TestFCM.error("NOT_FOUND"), TestFCM.error("NOT_FOUND", code: "NOT_FOUND"),
            TestFCM.error("UNREGISTERED"), #"{"error":"UNREGISTERED"}"#, #"{"error":"NotRegistered"}"#,
            TestFCM.error("NOT_FOUND", details: [["@type": "x.Other", "errorCode": "UNREGISTERED"]]),
            TestFCM.error("NOT_FOUND", message: "UNREGISTERED"), "UNREGISTERED",
        ] {
            #expect(try verdict(404, [], body).kind == .hubNotFound, "\(body)")
        }
        for body in [
            TestFCM.error("INVALID_ARGUMENT", code: "INVALID_ARGUMENT"), TestFCM.error("x", code: "SENDER_ID_MISMATCH"),
        ] {
            #expect(try verdict(400, [], body).kind != .targetGone)
        }
    }

    @Test func anInvalidArgumentIsTheTargetsFaultWhenTheTokenIsNamed() throws {
        func body(_ field: String, message: String = "x") -> String {
            let violation = ["field": field, "description": "Invalid registration token"]
            let detail: [String: Any] = [
                "@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [violation],
            ]
            return TestFCM.error("INVALID_ARGUMENT", code: "INVALID_ARGUMENT", message: message, details: [detail])
        }
        #expect(try verdict(400, [], body("message.token")).kind == .targetInvalid)
        #expect(try verdict(400, [], body("message.fid")).kind == .targetInvalid)
        #expect(try verdict(400, [], body("message.data")).kind == .rejected)
        let text = "The registration token is not a valid FCM registration token"
        #expect(try verdict(400, [], body("", message: text)).kind == .targetInvalid)
        #expect(
            try verdict(400, [], body("message.token"))
                == .targetInvalid(
                    because: "FCM replied 400 INVALID_ARGUMENT (message.token): x. Invalid registration token"))
    }

    @Test func aFaultOfAnotherServicesKeyNamesThePlaceInFirebase() throws {
        for code in ["THIRD_PARTY_AUTH_ERROR", "APNS_AUTH_ERROR"] {
            guard case .authFailed(let because) = try verdict(401, [], TestFCM.error("UNAUTHENTICATED", code: code))
            else {
                return #expect(Bool(false))
            }
            #expect(because.contains("THIRD_PARTY_AUTH_ERROR") && because.contains("Project settings, Cloud Messaging"))
        }
    }

    @Test func aThrottledDeviceClosesNoGate() throws {
        let device = TestFCM.error(
            "RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED", message: "Message rate exceeded for the device")
        guard case .throttled(60, .target, _) = try verdict(429, [], device) else { return #expect(Bool(false)) }
        let project = TestFCM.error("RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED", message: "Quota exceeded")
        guard case .throttled(60, .hub, _) = try verdict(429, [], project) else { return #expect(Bool(false)) }
    }

    @Test func aThrottledDeviceIsToldFromAThrottledProject() throws {
        func error(_ text: String, type: String = "google.rpc.QuotaFailure") -> FCMError {
            let detail: [String: Any] =
                type.hasSuffix("QuotaFailure")
                ? ["@type": "type.googleapis.com/\(type)", "violations": [["subject": "s", "description": text]]]
                : ["@type": "type.googleapis.com/\(type)", "reason": "RATE", "metadata": ["quota": text]]
            return FCMError(
                body: Array(TestFCM.error("RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED", details: [detail]).utf8))
        }
        for type in ["google.rpc.QuotaFailure", "google.rpc.ErrorInfo"] {
            #expect(error("Device message rate exceeded", type: type).namesDevice)
            #expect(error("messages_per_device", type: type).namesDevice)
            #expect(!error("Quota exceeded for quota metric 'Messages per minute'", type: type).namesDevice)
        }
        #expect(!FCMError(body: Array(TestFCM.error("RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED").utf8)).namesDevice)
    }

    @Test func everyFormOfRetryAfterHasBounds() throws {
        let date = ("Date", "Tue, 14 Nov 2023 22:13:20 GMT")
        for (value, throttled, unavailable) in [
            ("37", 37.0, 37.0), ("0", 1, 10), ("3", 3, 10), ("-5", 60, 10), ("soon", 60, 10),
            ("31536000", 3_600, 3_600),
            ("1e9", 60, 10), ("99999999999999999999", 3_600, 3_600), ("Tue, 14 Nov 2023 22:14:20 GMT", 60, 60),
            ("Thu, 14 Nov 2024 22:13:20 GMT", 3_600, 3_600), ("Thu, 01 Jan 1970 00:00:00 GMT", 1, 10), ("", 60, 10),
        ] {
            for headers in [[("Retry-After", value)], [("Retry-After", value), date]] {
                #expect(try word(verdict(429, headers)).1 == throttled, "\(value)")
                for status in [500, 502, 503] {
                    #expect(try word(verdict(status, headers)).1 == unavailable, "\(value)")
                }
            }
        }
    }

    @Test(arguments: [
        ("<p>Please try again in 30 seconds.", 30.0), ("<p>in 2 seconds", 10), ("<p> seconds", 10),
        ("<p>in x seconds", 10),
        ("<p>in 99999999999999999999999 seconds", 3_600), ("in 30 seconds", 10), ("<p>30 minutes", 10),
    ])
    func thePageOfAGatewayMayNameAWait(body: String, wait: Double) throws {
        #expect(try word(verdict(502, [], body)).1 == wait)
        #expect(try word(verdict(502, [("Retry-After", "77")], body)).1 == 77)
    }

    @Test func aPageIsNoAnswerOfFCM() throws {
        #expect(try verdict(200, [("Content-Type", "text/html; charset=utf-8")], "").kind == .hubNotFound)
        #expect(try verdict(200, [], "<html>").kind == .hubNotFound)
        #expect(try verdict(200, [("Content-Type", "application/json")], "{}") == .accepted)
    }

    @Test(arguments: [
        ("{\n  \"name\": \"projects/p/messages/0:15%31bd\"\n}\n", "0:15%31bd"),
        (#"{"name":"projects/p/messages/fake_message_id"}"#, "fake_message_id"),
        (#"{"name":"projects/p/messages/"}"#, nil),
        (#"{"name":"projects\/p\/messages\/1:2%3"}"#, "1:2%3"), (#"{"name":"projects/p"}"#, nil), ("", nil),
        (#"{"name":"projects/p/messages/abc"#, nil),
        (#"{"name":"projects/p/messages/Bearer ya29"}"#, nil),
        (#"{"name":"projects/p/messages/\#(String(repeating: "a", count: 301))"}"#, nil),
    ])
    func theIdIsTheLastPartOfTheName(body: String, id: String?) throws {
        let answer = try answer(TestFCM.reply(200, text: body))
        #expect(answer.verdict == .accepted && answer.notification == id && answer.error == nil)
    }

    /// The transport knows whether anything left: the same for both kinds of hub.
    @Test func anEndWithoutAStatusMeansTheSameAsForTheFirstKind() throws {
        let hub = try TestHub.hub()
        for code in [5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 58, 60, 65, 92, 94] as [Int32] {
            let fault = Reply.Fault(code: code, text: "no")
            for outcome in [Reply.Outcome.notSent(fault), .unknown(fault)] {
                let reply = Reply(id: 1, outcome: outcome, milliseconds: 3)
                #expect(try answer(reply) == hub.answer(to: reply))
                #expect(try answer(reply).milliseconds == 3)
            }
        }
    }

    @Test func noAnswerQuotesATokenOrWhatWasSent() throws {
        let token = "cXyZ0123456789:APA91bSECRETSECRET"
        let pass = "Bearer ya29.SECRETSECRET"
        for text in [
            TestFCM.error("INVALID_ARGUMENT", message: "Invalid \(token) for Dear Ada, your code is 4711"),
            "<html>\(token) Dear Ada, your code is 4711 Authorization: \(pass)</html>",
            TestFCM.error("x", message: "Authorization: \(pass)"), TestFCM.error(pass, code: pass),
        ] {
            for status in [400, 401, 404, 500] {
                var reply = TestFCM.reply(status, text: text)
                reply.sent = Reply.Sent(
                    body: Array(#"{"message":{"token":"\#(token)","data":{"k":"Dear Ada, your code is 4711"}}}"#.utf8))
                let printed = "\(try answer(reply))"
                #expect(printed.contains("•••"))
                for secret in ["SECRET", "cXyZ", "Ada", "4711"] { #expect(!printed.contains(secret), "\(printed)") }
            }
        }
    }
}
