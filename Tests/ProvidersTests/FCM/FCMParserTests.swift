import Foundation
import PushModel
import Testing
import VectorSupport

@testable import Providers

/// The parsers of everything about FCM that comes from outside keep their promises for any input.
@Suite(.timeLimit(.minutes(10))) struct FCMParserTests {
    private static func seeds(_ check: FCMCheck) throws -> [String] {
        switch check {
        case .account:
            let account = try #require(Vectors.object("fcm-apns/fcm-oauth")["service_account"] as? [String: Any])
            var local = account
            local["token_uri"] = "http://127.0.0.1:8099/token"
            local["private_key_id"] = nil
            return try [account, local].map(TestFCM.text) + ["{\"type\":\"service_account\"", "[]"]
        case .fcmAnswer:
            // The first byte is the status: 0 is 200, 4 is 404.
            return try Vectors.objects("fcm-apns/fcm-responses", "cases").map { vector in
                let place = [200, 400, 401, 403, 404, 429, 500, 502, 503, 504].firstIndex(
                    of: vector["status"] as? Int ?? 0)
                let body = try (vector["body"] as? String) ?? TestFCM.text(#require(vector["body"]))
                return String(UnicodeScalar(UInt8(place ?? 0))) + body
            } + ["\u{7}<p>in 12345678901234567890 seconds", "\u{4}{\"error\":{\"details\":[{\"@type\":7}]}}"]
        case .accessToken:
            return try Vectors.objects("fcm-apns/fcm-oauth", "token_responses").compactMap { vector in
                try (vector["body"] as? [String: Any]).map { try TestFCM.text($0) }
            } + [
                "{\"access_token\":\"t\",\"expires_in\":\"1e400\"}",
                "{\"error\":{\"status\":[],\"message\":\"a\\nb\"}}",
            ]
        case .fcmMessage:
            return try Vectors.objects("fcm-apns/fcm-messages", "valid").map { vector in
                var message = try #require(vector["message"] as? [String: Any])
                for target in ["token", "topic"] { message[target] = nil }
                return try TestFCM.text(["message": message])
            } + [
                #"{"message":{"data":{}},"message":{"apns":{"headers":{},"payload":{"aps":{}}},"android":null}}"#,
                #"{"m\u0065ssage":{"\u0061ndroid":{"ttl":"1s"},"webpush":{"headers":7}}}"#,
            ]
        }
    }

    @Test(arguments: FCMCheck.allCases) func everyInputKeepsTheParsersPromises(check: FCMCheck) async throws {
        let seeds = try Self.seeds(check).map { Array($0.utf8) } + Vectors.corpus(check.rawValue)
        var random = SeededRandom(seed: 38)
        // A valid account signs, which takes a millisecond.
        let rounds = check == .account || seeds.count > 50 ? 20 : 200
        for seed in seeds {
            try check.run(seed)
            for _ in 0..<rounds { try check.run(AnswerParserTests.mutated(seed, &random)) }
            await Task.yield()  // other tests wait for a thread
        }
    }
}
