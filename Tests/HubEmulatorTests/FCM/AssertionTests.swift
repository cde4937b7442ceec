import Foundation
import Signing
import Testing
import VectorSupport

@testable import HubEmulator

/// What a service account signs (Tests/Vectors/fcm-apns/fcm-oauth.json).
@Suite struct AssertionTests {
    private struct Vector: Decodable {
        struct Account: Decodable { var privateKeyId: String }
        struct Expected: Decodable { var jwt: String }
        var serviceAccount: Account
        var publicKeyPem: String
        var now: Double
        var expected: Expected
    }

    private func check(
        _ jwt: String? = nil, audiences: Set<String> = [], keyID: String? = nil, after seconds: Double = 0
    ) throws {
        let vector: Vector = try Vectors.read("fcm-apns/fcm-oauth")
        let key = try #require(RSAVerification(publicKey: vector.publicKeyPem))
        try Assertion(jwt ?? vector.expected.jwt).check(
            by: key, keyID: keyID ?? vector.serviceAccount.privateKeyId, audiences: audiences, now: vector.now + seconds
        )
    }

    @Test func theAssertionOfTheVectorIsValid() throws { try check() }

    @Test(arguments: [(0.0, true), (3_599, true), (3_600, false), (-300, true), (-301, false), (86_400, false)])
    func anAssertionIsValidForItsHour(seconds: Double, isValid: Bool) throws {
        if isValid {
            try check(after: seconds)
        } else {
            let error = try #require(throws: GrantError.self) { try check(after: seconds) }
            #expect(error.word == "invalid_grant" && error.description.contains("iat and exp"))
        }
    }

    @Test func aSignatureOfAnotherKeyIsInvalid() throws {
        let error = try #require(throws: GrantError.self) { try check(keyID: "another") }
        #expect(error.description == "Invalid JWT Signature.")
        let vector: Vector = try Vectors.read("fcm-apns/fcm-oauth")
        // The claims begin with another byte; the signature stays.
        let parts = vector.expected.jwt.split(separator: ".")
        #expect(throws: GrantError.self) { try check("\(parts[0]).\(parts[1].dropLast(4)).\(parts[2])") }
    }

    @Test(arguments: ["", "a.b", "a.b.c.d", "e30.e30.AAAA", "e30=.e30.AAAA", "eyJhbGciOiJub25lIn0.e30.", ".."])
    func whatIsNoAssertionIsRefused(text: String) throws {
        let error = try #require(throws: GrantError.self) { try Assertion(text) }
        #expect(error.word == "invalid_grant" && error.description.hasPrefix("Invalid JWT"))
    }
}
