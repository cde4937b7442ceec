import Testing
import VectorSupport

@testable import Signing

/// RSA keys for servers in tests (Tests/Vectors/fcm-apns/fcm-oauth.json has signatures of one).
@Suite struct RSAKeyPairTests {
    private struct Vector: Decodable {
        struct Account: Decodable { var privateKey: String }
        struct Expected: Decodable { var jwt: String }
        var serviceAccount: Account
        var publicKeyPem: String
        var expected: Expected
    }

    private func vector() throws -> Vector { try Vectors.read("fcm-apns/fcm-oauth") }

    @Test func thePublicKeyFollowsFromThePrivateOne() throws {
        let vector = try vector()
        let pair = try #require(RSAKeyPair(privateKey: Secret(vector.serviceAccount.privateKey)))
        #expect(pair.publicKey == vector.publicKeyPem)
        #expect(pair.privateKey.reveal() == vector.serviceAccount.privateKey)
    }

    @Test func onlyTheRightSignatureIsValid() throws {
        let vector = try vector()
        let parts = vector.expected.jwt.split(separator: ".")
        let message = Array("\(parts[0]).\(parts[1])".utf8)
        let plain = parts[2].replacing("-", with: "+").replacing("_", with: "/")
        var signature = try #require(Base64.decode(plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)))
        let key = try #require(RSAVerification(publicKey: vector.publicKeyPem))
        #expect(key.bits == 2_048)
        #expect(key.isValid(signature, of: message))
        #expect(!key.isValid(signature, of: message + [0]))
        #expect(!key.isValid([], of: message) && !key.isValid(signature.dropLast(), of: message))
        let other = try #require(RSAVerification(publicKey: RSAKeyPair.generate().publicKey))
        #expect(!other.isValid(signature, of: message))
        signature[0] ^= 1
        #expect(!key.isValid(signature, of: message))
    }

    @Test func everyNewPairIsAnother() throws {
        let pair = RSAKeyPair.generate()
        #expect(pair.privateKey.reveal().hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(RSAVerification(publicKey: pair.publicKey)?.bits == 2_048)
        #expect(RSAKeyPair.generate().publicKey != pair.publicKey)
        #expect(RSAKeyPair(privateKey: pair.privateKey)?.publicKey == pair.publicKey)
        #expect(RSAVerification(publicKey: RSAKeyPair.generate(bits: 1_024).publicKey)?.bits == 1_024)
    }

    /// A P-256 key, made with openssl for this test.
    private static let ellipticKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEJ8Bs/bDZhgbLdSHqDheLTlkX/6js
        pGvp3PQw/x/ryDecWYgpCt5TGje0y01SACj1TTWT/HXnEC6CUVkIgDnplQ==
        -----END PUBLIC KEY-----
        """

    @Test(arguments: ["", "nonsense", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", ellipticKey])
    func whatIsNoRSAKeyIsNil(text: String) {
        #expect(RSAVerification(publicKey: text) == nil)
        #expect(RSAKeyPair(privateKey: Secret(text)) == nil)
    }
}
