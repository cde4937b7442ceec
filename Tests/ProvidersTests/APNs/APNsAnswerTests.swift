import Foundation
import HTTPTransport
import PushModel
import Testing
import VectorSupport

@testable import Providers

@Suite struct APNsAnswerTests {
    private func answer(_ reply: Reply) throws -> Answer { try TestAPNs.apns().answer(to: reply) }

    private func verdict(_ status: Int, _ headers: [(String, String)] = [], reason: String) throws -> Verdict {
        try answer(TestAPNs.reply(status, headers, reason: reason)).verdict
    }

    private func wait(_ verdict: Verdict) -> Double? {
        switch verdict {
        case .throttled(let after, _, _): after
        case .unavailable(let after, _): after
        default: nil
        }
    }

    @Test func everyAnswerOfTheVectorsHasItsVerdict() throws {
        let cases = try Vectors.objects("fcm-apns/apns-responses", "cases")
        #expect(cases.count == 29)
        for vector in cases {
            let status = try #require(vector["status"] as? Int)
            let reason = vector["reason"] as? String
            let expected = try #require(vector["expect"] as? [String: Any])
            let reply = reason.map { TestAPNs.reply(status, reason: $0) } ?? TestFCM.reply(status)
            let answer = try answer(reply)
            let name = "\(status) \(reason ?? "")"
            // Of what is refused Fanfare tells apart what another key may mend.
            let outcome = reason == "InvalidProviderToken" ? "auth_expired" : expected["outcome"] as? String
            #expect(answer.verdict.kind.name == outcome, "\(name)")
            #expect(answer.status == status && answer.milliseconds == 12)
            let code = ["apns", "\(status)", APNsError(body: body(reply)).reason].compactMap(\.self)
            #expect(code.joined(separator: ":") == expected["code"] as? String)
            switch try #require(expected["retry"] as? String) {
            case "none", "refresh_once_new_connection": #expect(wait(answer.verdict) == nil, "\(name)")
            case "backoff:min900": #expect(wait(answer.verdict) == 900, "\(name)")
            case let retry: #expect("after:\(Int(wait(answer.verdict) ?? -1))" == retry, "\(name)")
            }
            if case .throttled(_, let scope, _) = answer.verdict {
                #expect((scope == .hub ? "hub" : "target") == expected["scope"] as? String)
            }
            #expect((answer.error == nil) == (answer.verdict == .accepted))
            if let reason { #expect(answer.error == reason, "its words are kept") }
        }
        for reason in try #require(Vectors.object("fcm-apns/apns-responses")["never_retry_per_apple"] as? [String]) {
            let status = cases.first { $0["reason"] as? String == reason }?["status"] as? Int
            let verdict = try verdict(#require(status), reason: reason)
            // Forbidden keeps the message until a person has put the key right.
            #expect([.targetInvalid, .targetGone, .tooLarge, .authFailed].contains(verdict.kind), "\(reason)")
        }
    }

    private func body(_ reply: Reply) -> [UInt8] {
        if case .answered(let response) = reply.outcome { response.body } else { [] }
    }

    /// Those that the vectors leave out (docs/wire/fcm-apns.md, "Answers of APNs").
    @Test(arguments: [
        (400, "BadPriority", "rejected"), (400, "PayloadEmpty", "rejected"), (400, "MissingTopic", "auth_failed"),
        (400, "IdleTimeout", "not_sent"), (403, "UnrelatedKeyIdInToken", "auth_expired"),
        (403, "BadEnvironmentKeyInToken", "auth_failed"), (429, "TooManyRequests", "throttled"),
        (503, "Shutdown", "unavailable"), (410, "Unregistered", "target_gone"),
        (410, "SomeFutureReason", "target_gone"),
        (404, "SomeFutureReason", "rejected"), (429, "SomeFutureReason", "throttled"), (502, "x", "unavailable"),
        (504, "x", "unavailable"),
    ])
    func everyReasonHasAVerdict(status: Int, reason: String, name: String) throws {
        #expect(try verdict(status, reason: reason).kind.name == name)
    }

    @Test(arguments: [
        (301, "hub_not_found"), (302, "hub_not_found"), (400, "rejected"), (401, "auth_failed"), (403, "auth_failed"),
        (404, "hub_not_found"), (405, "hub_not_found"), (407, "auth_failed"), (408, "unavailable"),
        (410, "hub_not_found"), (413, "too_large"), (422, "rejected"), (429, "throttled"), (500, "unavailable"),
        (501, "hub_not_found"), (502, "unavailable"), (503, "unavailable"), (504, "unknown"), (505, "hub_not_found"),
        (599, "unavailable"), (0, "unknown"), (101, "unknown"), (600, "unknown"),
    ])
    func everyStatusHasAVerdictWithoutAReason(status: Int, name: String) throws {
        for body in ["", "<html/>", "{", "{}", #"{"reason":7}"#, #"{"reason":""}"#, #"{"reason":null}"#, "[]", "x"] {
            #expect(try answer(TestFCM.reply(status, text: body)).verdict.kind.name == name, "\(body)")
        }
    }

    /// A phone is forgotten by its owner after this, so nothing else may lead to it.
    @Test func only410MeansThatTheTargetIsGone() throws {
        for reason in ["Unregistered", "ExpiredToken", "BadDeviceToken"] {
            for status in [200, 400, 403, 404, 405, 413, 429, 500, 503] {
                #expect(try verdict(status, reason: reason).kind != .targetGone, "\(status)")
            }
        }
        for page in ["", "<html>410 Gone</html>", "Gone"] {
            #expect(try answer(TestFCM.reply(410, text: page)).verdict.kind == .hubNotFound)
        }
    }

    @Test func everyBodyOfTheVectorsIsRead() throws {
        for vector in try Vectors.objects("fcm-apns/apns-responses", "bodies") {
            let raw = try #require(vector["raw"] as? String)
            let error = APNsError(body: Array(raw.utf8))
            #expect(error.reason == vector["reason"] as? String)
            #expect(error.since == (vector["timestamp_ms"] as? Double).map { $0 / 1_000 })
        }
    }

    @Test func theTimeSinceWhichAPhoneIsGoneIsInMilliseconds() throws {
        func since(_ timestamp: String) throws -> Double? {
            let reply = TestFCM.reply(410, text: #"{"reason":"Unregistered","timestamp":\#(timestamp)}"#)
            guard case .targetGone(let since, let because) = try answer(reply).verdict else {
                Issue.record("not gone")
                return nil
            }
            #expect(because == "APNs replied 410 Unregistered")
            return since
        }
        #expect(try since("1454948015990") == 1_454_948_015.990)
        #expect(GoneNote.text(since: try since("1454948015990"), because: "x") == "gone since 2016-02-08T16:13:35Z: x")
        for timestamp in ["0", "-1", "1e30", "\"1454948015990\"", "null", "true", "[]", "253402300800000"] {
            #expect(try since(timestamp) == nil, "\(timestamp)")
        }
    }

    @Test func everyPersonWhoHasToActIsNamed() throws {
        for (status, reason, words) in [
            (400, "BadTopic", "set topic"), (400, "MissingTopic", "set topic"), (400, "TopicDisallowed", "check topic"),
            (403, "BadCertificate", "renew the certificate"),
            (403, "BadCertificateEnvironment", "not for production: check environment"),
            (403, "BadEnvironmentKeyIdInToken", "not for production: check environment"),
            (403, "InvalidProviderToken", "keyId and teamId"), (403, "MissingProviderToken", "check key"),
            (403, "Forbidden", "Account Holder"),
        ] {
            let because: String
            switch try verdict(status, reason: reason) {
            case .authFailed(let why), .authExpired(let why): because = why
            default:
                Issue.record("\(reason)")
                continue
            }
            #expect(because.hasPrefix("APNs replied \(status) \(reason); ") && because.contains(words), "\(because)")
        }
        #expect(
            try TestAPNs.apns(environment: .sandbox).answer(
                to: TestAPNs.reply(403, reason: "BadCertificateEnvironment")
            )
            .verdict.words.contains("not for sandbox"))
    }

    @Test func onePhoneThatIsThrottledClosesNoGate() throws {
        guard case .throttled(60, .target, _) = try verdict(429, reason: "TooManyRequests") else {
            return #expect(Bool(false))
        }
        guard case .throttled(7, .target, _) = try verdict(429, [("Retry-After", "7")], reason: "TooManyRequests")
        else { return #expect(Bool(false)) }
        // The rule of 20 minutes is Apple's, whatever a header says.
        guard
            case .throttled(1_200, .hub, _) = try verdict(
                429, [("Retry-After", "7")], reason: "TooManyProviderTokenUpdates")
        else { return #expect(Bool(false)) }
    }

    @Test(arguments: [
        ("37", 37.0, 900.0), ("0", 1, 900), ("soon", 60, 900), ("3000", 3_000, 3_000), ("99999", 3_600, 3_600),
    ])
    func everyFormOfRetryAfterHasBounds(value: String, throttled: Double, unavailable: Double) throws {
        #expect(try wait(verdict(429, [("Retry-After", value)], reason: "Future")) == throttled)
        for status in [500, 503] {
            #expect(try wait(verdict(status, [("Retry-After", value)], reason: "Shutdown")) == unavailable)
        }
    }

    @Test func theIdThatApnsEchoesIsKept() throws {
        let id = "EABEAE54-14A8-11E5-B60B-1697F925EC7B"
        let unique = "11111111-2222-3333-4444-555555555555"
        let taken = try answer(TestFCM.reply(200, [("apns-id", id), ("apns-unique-id", unique)]))
        #expect(taken.notification == id.lowercased() && taken.tracking == unique && taken.error == nil)
        let refused = try answer(TestAPNs.reply(400, [("apns-id", id)], reason: "BadDeviceToken"))
        #expect(refused.notification == id.lowercased())
        for other in ["", "bearer eyJ", "7"] {
            #expect(try answer(TestFCM.reply(200, [("apns-id", other)])).notification == nil)
        }
    }

    @Test func aPageIsNoAnswerOfApple() throws {
        #expect(try answer(TestFCM.reply(200, [("Content-Type", "text/html")])).verdict.kind == .hubNotFound)
        #expect(try answer(TestFCM.reply(200, text: "<html>")).verdict.kind == .hubNotFound)
        #expect(try answer(TestFCM.reply(200)).verdict == .accepted)
    }

    /// The transport knows whether anything left: the same for all kinds of hub.
    @Test func anEndWithoutAStatusMeansTheSameAsForTheFirstKind() throws {
        let hub = try TestHub.hub()
        for code in [5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 58, 60, 65, 92, 94] as [Int32] {
            let fault = Reply.Fault(code: code, text: "no")
            for outcome in [Reply.Outcome.notSent(fault), .unknown(fault)] {
                let reply = Reply(id: 1, outcome: outcome, milliseconds: 3)
                #expect(try answer(reply) == hub.answer(to: reply))
            }
        }
    }

    @Test func noAnswerQuotesADeviceATokenOrWhatWasSent() throws {
        let pass = "bearer eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJTRUNSRVQifQ.c2ln"
        for text in [
            "<html>no route to /3/device/\(TestAPNs.device) for Dear Ada, code 4711</html>",
            #"{"reason":"/3/device/\#(TestAPNs.device.uppercased()) Dear Ada, code 4711"}"#,
            "Authorization: \(pass) Dear Ada, code 4711",
        ] {
            for status in [400, 403, 404, 410, 500] {
                var reply = TestFCM.reply(status, text: text)
                reply.sent = Reply.Sent(body: Array(#"{"aps":{"alert":"Dear Ada, code 4711"}}"#.utf8))
                let printed = "\(try answer(reply))"
                #expect(printed.contains("•••"))
                for secret in ["00fc13", "00FC13", "eyJ", "Ada", "4711"] {
                    #expect(!printed.contains(secret), "\(printed)")
                }
            }
        }
        #expect("at 00fc13adff785122 and 00fc13adff78512".withoutDeviceTokens == "at ••• and 00fc13adff78512")
        #expect("".withoutDeviceTokens == "" && "é \(TestAPNs.device)".withoutDeviceTokens == "é •••")
    }

    @Test func anUnknownReasonIsKeptAsOneShortLine() throws {
        let long = String(repeating: "Reason", count: 50)
        guard case .rejected(let because) = try verdict(400, reason: #"New\nReason"#) else {
            return #expect(Bool(false))
        }
        #expect(because == "APNs replied 400 New Reason")
        guard case .rejected(let because) = try verdict(400, reason: long) else { return #expect(Bool(false)) }
        #expect(because.count < 90 && because.contains("ReasonReason"))
    }

    @Test func theClockOfApnsIsCompared() throws {
        let reply = TestFCM.reply(200, [("Date", "Tue, 14 Nov 2023 20:13:20 GMT")])
        #expect(try TestAPNs.apns().skew(of: reply) == 7_200)
    }
}

extension Verdict {
    fileprivate var words: String { if case .authFailed(let because) = self { because } else { "" } }
}
