import Foundation
import Testing
import VectorSupport

@testable import Signing

@Suite struct JWTAssertionTests {
    private func account(_ change: (inout [String: Any]) -> Void = { _ in }) throws -> ServiceAccount {
        var members = try #require(Vectors.object("fcm-apns/fcm-oauth")["service_account"] as? [String: Any])
        change(&members)
        return try ServiceAccount(
            parsing: String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self))
    }

    private func parts(_ assertion: Secret) throws -> (
        header: [String: String], claims: [String: Any], signature: [UInt8]
    ) {
        let parts = assertion.reveal().split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        func object(_ part: Substring) throws -> Any {
            try JSONSerialization.jsonObject(with: Data(try #require(Base64.decodeURL(part))))
        }
        return (
            try #require(object(parts[0]) as? [String: String]), try #require(object(parts[1]) as? [String: Any]),
            try #require(Base64.decodeURL(parts[2]))
        )
    }

    @Test func theAssertionOfTheVectorsIsMadeByteForByte() throws {
        let file = try Vectors.object("fcm-apns/fcm-oauth")
        let expected = try #require(file["expected"] as? [String: Any])
        let now = try #require(file["now"] as? Int64)
        #expect(try JWTAssertion.sign(for: account(), now: now).reveal() == expected["jwt"] as? String)
    }

    @Test func anAccountWithoutAKeyIDHasAHeaderWithoutOne() throws {
        let assertion = try JWTAssertion.sign(for: account { $0["private_key_id"] = nil }, now: 1)
        #expect(try parts(assertion).header == ["alg": "RS256", "typ": "JWT"])
    }

    @Test func everyAssertionIsSignedByItsKeyForAnHour() throws {
        let second = try #require(Vectors.object("fcm-apns/account_keys")["second_account"] as? String)
        let accounts = [
            try account(), try account { $0["private_key"] = second },
            try account { $0["client_email"] = "a+b@c.example" },
        ]
        for (account, other) in zip(accounts, [accounts[1], accounts[0], accounts[1]]) {
            for now in [0, 1, 1_700_000_000, 4_102_444_800] as [Int64] {
                let assertion = try JWTAssertion.sign(for: account, now: now)
                let (_, claims, signature) = try parts(assertion)
                let text = assertion.reveal()
                let signed = Array(text[..<(try #require(text.lastIndex(of: ".")))].utf8)
                #expect(account.key.verifies(signature, of: signed))
                #expect(!other.key.verifies(signature, of: signed))
                #expect(!account.key.verifies(signature, of: signed + [0x20]))
                #expect(claims["iss"] as? String == account.email)
                #expect(claims["iat"] as? Int64 == now && claims["exp"] as? Int64 == now + 3_600)
                #expect(Set(claims.keys) == ["iss", "scope", "aud", "iat", "exp"])
            }
        }
    }

    @Test func theAudienceStaysWithAnotherTokenAddress() throws {
        let assertion = try JWTAssertion.sign(for: account { $0["token_uri"] = "http://127.0.0.1:1/token" }, now: 1)
        #expect(try parts(assertion).claims["aud"] as? String == "https://oauth2.googleapis.com/token")
    }

    @Test func anAssertionIsASecret() throws {
        let assertion = try JWTAssertion.sign(for: account(), now: 1)
        #expect("\(assertion)" == "•••")
    }
}
