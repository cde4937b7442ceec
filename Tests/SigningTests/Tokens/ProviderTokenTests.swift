import Foundation
import Testing
import VectorSupport

@testable import Signing

@Suite struct ProviderTokenTests {
    private static func file() throws -> [String: Any] { try Vectors.object("fcm-apns/apns-jwt") }

    private static func key(keyID: String = "ABC123DEFG", team: String = "DEF123GHIJ") throws -> ProviderKey {
        try ProviderKey(pem: Secret(#require(file()["p8_pem"] as? String)), keyID: keyID, team: team)
    }

    private func error(keyID: String = "ABC123DEFG", team: String = "DEF123GHIJ", pem: String? = nil) throws
        -> ProviderKeyError?
    {
        let pem = try pem ?? #require(Self.file()["p8_pem"] as? String)
        do throws(ProviderKeyError) {
            _ = try ProviderKey(pem: Secret(pem), keyID: keyID, team: team)
            return nil
        } catch {
            return error
        }
    }

    private func object(_ part: Substring) throws -> [String: Any] {
        let bytes = try #require(Base64.decodeURL(part))
        return try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    @Test func theTokenOfTheVectorsIsSigned() throws {
        let file = try Self.file()
        let now = try #require(file["now"] as? Int64)
        let key = try Self.key(keyID: #require(file["key_id"] as? String), team: #require(file["team_id"] as? String))
        let token = try ProviderToken.sign(with: key, now: now).reveal()
        let expected = try #require(file["expected"] as? [String: Any])
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        let signed = parts.prefix(2).joined(separator: ".")
        #expect(signed == expected["signing_input"] as? String)
        let signature = try #require(Base64.decodeURL(parts[2]))
        #expect(signature.count == expected["signature_len_bytes"] as? Int)
        let open = try #require(file["public_key_pem"] as? String)
        let verification = try #require(P256Verification(publicKey: open))
        #expect(verification.isValid(signature, of: Array(signed.utf8)))
        let claims = try object(parts[1])
        #expect(claims["iat"] as? Int64 == now && claims["iss"] as? String == "DEF123GHIJ" && claims.count == 2)
        let header = try object(parts[0]) as? [String: String]
        #expect(header == expected["jwt_header"] as? [String: String])
    }

    @Test func everyIdHasItsShape() throws {
        let cases = try Vectors.objects("fcm-apns/apns-jwt", "config_validation").compactMap { $0["key_id"] as? String }
        #expect(cases == ["ABC123DEF"])
        for id in cases + [
            "", "ABC123DEFGH", "abc123defg", "ABC 23DEFG", "ABC123DEF\"", "ABC123DEFé", "ABC123DE\u{0301}",
        ] {
            #expect(try error(keyID: id) == .keyID, "\(id)")
            #expect(try error(team: id) == .team, "\(id)")
            #expect(!ProviderKey.isID(id))
        }
        #expect(ProviderKey.isID("0123456789") && ProviderKey.isID("ABCDEFGHIJ"))
        #expect(try error() == nil)
        #expect(try error(pem: "x") == .key(.notPEM))
    }

    @Test func theErrorNamesWhatIsWrong() throws {
        #expect(try error(keyID: "x")?.description.hasPrefix("keyId is not 10") == true)
        #expect(try error(team: "x")?.description.hasPrefix("teamId is not 10") == true)
        #expect(try error(pem: "x")?.description.hasPrefix("key is not a PEM text") == true)
    }

    @Test func twoTextsOfOneKeyAreOneKey() throws {
        let sec1 = try #require(Vectors.objects("fcm-apns/provider_keys", "taken")[0]["pem"] as? String)
        let other = try ProviderKey(pem: Secret(sec1), keyID: "ABC123DEFG", team: "DEF123GHIJ")
        #expect(try Set([Self.key(), other]).count == 1)
        #expect(try Self.key() != Self.key(keyID: "ABC123DEFH") && Self.key() != Self.key(team: "ABC123DEFH"))
    }

    @Test func neitherKeyNorTokenPrints() throws {
        let key = try Self.key()
        let token = try ProviderToken.sign(with: key, now: 1)
        var printed = "\(key) \(token)"
        dump(key, to: &printed)
        dump(token, to: &printed)
        #expect(!printed.contains("eyJ") && !printed.contains("BEGIN PRIVATE") && printed.contains("•••"))
    }
}
