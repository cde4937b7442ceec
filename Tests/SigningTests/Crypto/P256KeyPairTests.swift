import Testing
import VectorSupport

@testable import Signing

/// P-256 keys for servers in tests (Tests/Vectors/fcm-apns/apns-jwt.json has signatures of one).
@Suite struct P256KeyPairTests {
    private struct Vector: Decodable {
        var p8Pem: String
        var publicKeyPem: String
    }

    private func vector() throws -> Vector { try Vectors.read("fcm-apns/apns-jwt") }

    @Test func thePublicKeyFollowsFromThePrivateOne() throws {
        let vector = try vector()
        let pair = try #require(P256KeyPair(privateKey: Secret(vector.p8Pem)))
        #expect(pair.publicKey == vector.publicKeyPem)
        #expect(pair.privateKey.reveal() == vector.p8Pem)
        #expect(
            P256KeyPair(privateKey: Secret(vector.p8Pem.replacing("\n", with: "\r\n")))?.publicKey == pair.publicKey)
    }

    @Test func onlyTheRightSignatureIsValid() throws {
        let pair = P256KeyPair.generate()
        let message = Array("a message".utf8)
        var signature = try #require(pair.signature(of: message))
        let key = try #require(P256Verification(publicKey: pair.publicKey))
        #expect(key.isValid(signature, of: message))
        #expect(try #require(pair.signature(of: message)) != signature)
        #expect(!key.isValid(signature, of: message + [0]))
        #expect(!key.isValid([], of: message) && !key.isValid(signature.dropLast(), of: message))
        #expect(!key.isValid([UInt8](repeating: 0, count: 64), of: message))
        #expect(!key.isValid([UInt8](repeating: 255, count: 64), of: message))
        let other = try #require(P256Verification(publicKey: P256KeyPair.generate().publicKey))
        #expect(!other.isValid(signature, of: message))
        signature[0] ^= 1
        #expect(!key.isValid(signature, of: message))
    }

    @Test func keysOfOtherCurvesAreNil() {
        #expect(P256KeyPair(privateKey: RSAKeyPair.generate(bits: 1_024).privateKey) == nil)
        #expect(P256Verification(publicKey: RSAKeyPair.generate(bits: 1_024).publicKey) == nil)
        for text in ["", "nonsense", Self.otherCurve] { #expect(P256KeyPair(privateKey: Secret(text)) == nil) }
    }

    /// A key of secp256k1, whose numbers have 256 bits, too; made with openssl for this test.
    private static let otherCurve = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgCBiiPCbZ+H42oJOcm/Ic
        /BOmPTVw66OyDdWEo+SllnuhRANCAAT+exoTfvBnmwMrwuuWKeqPMNTA4+Lf8ePZ
        2Rnb8osHwdBkyiIkOeXTOnu3zjlwhNAyviGJSPieshjB43HODcP+
        -----END PRIVATE KEY-----
        """
}
