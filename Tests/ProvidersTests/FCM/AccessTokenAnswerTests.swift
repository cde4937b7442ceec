import Foundation
import HTTPTransport
import Signing
import Testing
import VectorSupport

@testable import Providers

@Suite struct AccessTokenAnswerTests {
    private static let assertion = Secret("eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJwdXNoIn0.c2lnbmF0dXJlc2lnbmF0dXJl")

    private func answer(_ reply: Reply, skew: Double? = nil) -> AccessTokenAnswer {
        AccessTokenAnswer(reply, to: Self.assertion, skew: skew)
    }

    private func answer(
        _ status: Int, _ body: String = "", headers: [(String, String)] = [], skew: Double? = nil
    ) -> AccessTokenAnswer {
        answer(TestFCM.reply(status, headers, text: body), skew: skew)
    }

    /// `refused`, `later`, or the words of the refusal.
    private func because(_ answer: AccessTokenAnswer) -> (kind: String, words: String) {
        switch answer {
        case .token: ("token", "")
        case .later(_, let because): ("later", because)
        case .refused(let because): ("refused", because)
        }
    }

    @Test func everyAnswerOfTheVectorsIsRead() throws {
        let cases = try Vectors.objects("fcm-apns/fcm-oauth", "token_responses")
        #expect(cases.count == 10)
        for vector in cases {
            let status = try #require(vector["status"] as? Int)
            let body = vector["body"] is NSNull ? "" : try TestFCM.text(#require(vector["body"]))
            let answer = answer(status, body)
            if let expected = vector["expect"] as? [String: Any] {
                let life = (expected["expires_at"] as? Int64).map { $0 - 1_700_000_000 } ?? 60
                let token = try #require(expected["token"] as? String)
                #expect(answer == .token(header: Secret("Bearer \(token)"), life: life), "\(body)")
            } else {
                let expected = try #require(vector["expect"] as? String)
                #expect(because(answer).kind == (expected == "retry" ? "later" : "refused"), "\(body)")
                #expect(because(answer).words.contains("clock") == expected.contains("clock skew"), "\(body)")
            }
        }
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504, 599])
    func anEndpointThatCannotAnswerIsAskedAgain(status: Int) {
        for body in ["", "<html>", #"{"error":"invalid_grant"}"#] {
            #expect(because(answer(status, body)).kind == "later")
        }
    }

    @Test(arguments: ["internal_failure", "server_error", "temporarily_unavailable"])
    func anErrorThatPassesIsAskedAgainWhateverItsStatus(error: String) {
        #expect(because(answer(400, #"{"error":"\#(error)"}"#)).kind == "later")
        #expect(because(answer(400, #"{"error":"x","error_description":"\#(error)"}"#)).kind == "later")
    }

    @Test(arguments: [301, 400, 401, 403, 404, 413, 501, 505, 0])
    func everythingElseIsRefusedInWords(status: Int) {
        let (kind, words) = because(answer(status, #"{"error":"invalid_grant","error_description":"Invalid JWT."}"#))
        #expect(kind == "refused")
        #expect(words == "the token endpoint replied \(status): invalid_grant: Invalid JWT")
        #expect(because(answer(status, "<html>no</html>")).words == "the token endpoint replied \(status)")
        #expect(
            because(answer(status, #"{"error":{"status":"PERMISSION_DENIED","message":"no"}}"#)).words.contains("no"))
    }

    @Test func aWrongClockIsNamedWithItsSkew() {
        let body = #"{"error":"invalid_grant","error_description":"Check your iat and exp values in the JWT claim."}"#
        for (skew, words) in [
            (3_600.0, "3600 s ahead of the endpoint's"), (-90, "90 s behind the endpoint's"), (0, "agrees with"),
            (nil, "is probably wrong"),
        ] {
            #expect(because(answer(400, body, skew: skew)).words.contains(words))
        }
        let other = #"{"error":"invalid_grant","error_description":"An expired experiment"}"#
        #expect(!because(answer(400, other, skew: 3_600)).words.contains("clock"))
    }

    @Test func aWaitThatTheEndpointNamesIsKept() {
        #expect(
            answer(429, headers: [("Retry-After", "7")]) == .later(after: 7, because: "the token endpoint replied 429"))
        #expect(
            answer(503, headers: [("Retry-After", "-7")])
                == .later(after: nil, because: "the token endpoint replied 503"))
    }

    @Test func anEndWithoutAStatusIsAskedAgainUnlessTheEndpointCannotProveWhoItIs() {
        for code in [6, 7, 28, 35, 56] as [Int32] {
            let fault = Reply.Fault(code: code, text: "no")
            #expect(because(answer(Reply(id: 0, outcome: .notSent(fault)))).kind == "later")
            #expect(because(answer(Reply(id: 0, outcome: .unknown(fault)))).kind == "later")
        }
        let fault = Reply.Fault(code: 60, text: "certificate has expired")
        let (kind, words) = because(answer(Reply(id: 0, outcome: .notSent(fault))))
        #expect(kind == "refused" && words.contains("certificate has expired"))
    }

    @Test(
        arguments: [
            ("3599.9", 3_599), ("\"120\"", 120), ("1e3", 1_000), ("0", 60), ("-1", 60), ("null", 60), ("\"soon\"", 60),
            ("\"nan\"", 60), ("\"inf\"", 43_200), ("1e300", 43_200), ("true", 60), ("[]", 60), ("\"\"", 60),
        ] as [(String, Int64)])
    func aLifeHasBounds(written: String, life: Int64) {
        let answer = answer(200, #"{"access_token":"t","expires_in":\#(written)}"#)
        #expect(answer == .token(header: Secret("Bearer t"), life: life))
    }

    @Test(arguments: [
        "", "{}", "[]", "{", "<html>", #"{"access_token":""}"#, #"{"access_token":7}"#, #"{"access_token":null}"#,
        #"{"access_token":"a b"}"#, #"{"access_token":"a\r\nX-Evil: 1"}"#, #"{"access_token":"é"}"#,
        #"{"access_token":"\#(String(repeating: "a", count: 8_001))"}"#,
        #"{"access_token":"a","x":"\#(String(repeating: "a", count: 1 << 20))"}"#,
    ])
    func anAnswerWithoutATokenIsRefused(body: String) {
        let (kind, words) = because(answer(200, body))
        #expect(kind == "refused" && words.hasPrefix("the token endpoint replied 200 with"))
        #expect(words.utf8.count < 200)
    }

    @Test func aPageIsNoToken() {
        let page = TestFCM.reply(200, [("Content-Type", "text/html")], text: #"{"access_token":"t"}"#)
        #expect(because(answer(page)).words.contains("a web page"))
    }

    @Test func noAnswerQuotesTheAssertionOrAToken() {
        let assertion = Self.assertion.reveal()
        for body in [
            #"{"error":"invalid_grant","error_description":"Bad \#(assertion) here"}"#,
            #"{"error":"x","error_description":"assertion=\#(assertion.dropFirst(4))"}"#,
            #"{"error":"\#(assertion)"}"#, #"{"error":"x","error_description":"\#(assertion.uppercased())"}"#,
            #"{"error":"x","error_description":"access_token=c2lnbmF0dXJl"}"#,
        ] {
            for status in [400, 500] {
                let words = because(answer(status, body)).words
                #expect(words.contains("•••"))
                #expect(!words.lowercased().contains("c2lnbmf0") && !words.contains("eyJpc3Mi"), "\(words)")
            }
        }
        #expect(!"\(answer(200, #"{"access_token":"SECRET"}"#))".contains("SECRET"))
    }
}
