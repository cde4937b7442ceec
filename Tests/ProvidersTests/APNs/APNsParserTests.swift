import Foundation
import PushModel
import Testing
import VectorSupport

@testable import Providers

/// The parsers of everything about APNs that comes from outside keep their promises for any input.
@Suite(.timeLimit(.minutes(10))) struct APNsParserTests {
    private static func seeds(_ check: APNsCheck) throws -> [String] {
        switch check {
        case .providerKey:
            let first = try #require(Vectors.object("fcm-apns/apns-jwt")["p8_pem"] as? String)
            let others = try ["taken", "refused"].flatMap { try Vectors.objects("fcm-apns/provider_keys", $0) }
            return [first] + others.compactMap { $0["pem"] as? String }
        case .apnsAnswer:
            // The first byte is the status: 0 is 200, 5 is 410.
            return try Vectors.objects("fcm-apns/apns-responses", "cases").map { vector in
                let place = [200, 400, 403, 404, 405, 410, 413, 429, 500, 503, 504].firstIndex(
                    of: vector["status"] as? Int ?? 0)
                let body = (vector["reason"] as? String).map { "{\"reason\":\"\($0)\"}" } ?? ""
                return String(UnicodeScalar(UInt8(place ?? 0))) + body
            } + [
                "\u{5}{\"reason\":\"Unregistered\",\"timestamp\":1454948015990}",
                "\u{5}{\"reason\":\"\\u0055nregistered\",\"timestamp\":1e12}",
                "\u{0}eabeae54-14a8-11e5-b60b-1697f925ec7b", "\u{3}<html>/3/device/\(TestAPNs.device)</html>",
            ]
        case .applePush:
            return [
                "\(TestAPNs.device)\n\n\n{\"aps\":{\"alert\":\"a\"}}",
                "AB\napns-push-type\nbackground\n{\"aps\":{\"content-available\":1}}",
                "ab\napns-expiration\n0\n{\"aps\":{\"content-available\":1,\"content-available\":0}}",
                "ab\napns-topic\na.b.voip\n{\"aps\":{\"event\":\"end\"}}", "ab\napns-priority\n10\n{\"aps\":{}}",
                "ab\nAPNS-ID\n\(TestAPNs.uuid)\n{\"\\u0061ps\":{\"content-changed\":true}}",
                "ab\napns-collapse-id\nx\n{\"aps\":1,\"aps\":{}}",
            ]
        }
    }

    @Test(arguments: APNsCheck.allCases) func everyInputKeepsTheParsersPromises(check: APNsCheck) async throws {
        let seeds = try Self.seeds(check).map { Array($0.utf8) } + Vectors.corpus(check.rawValue)
        #expect(seeds.count > 5)
        var random = SeededRandom(seed: 39)
        let rounds = check == .applePush ? 1_000 : 100
        for seed in seeds {
            try check.run(seed)
            for _ in 0..<rounds { try check.run(AnswerParserTests.mutated(seed, &random)) }
            await Task.yield()  // other tests wait for a thread
        }
    }
}
