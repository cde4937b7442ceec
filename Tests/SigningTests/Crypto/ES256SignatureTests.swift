import Foundation
import Testing
import VectorSupport

@testable import Signing

@Suite struct ES256SignatureTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.utf8.count, by: 2).compactMap { start in
            UInt8(hex.dropFirst(start).prefix(2), radix: 16)
        }
    }

    @Test func everyPairOfTheVectorsIsTheSameSignature() throws {
        let file = try Vectors.object("fcm-apns/apns-jwt")
        let expected = try #require(file["expected"] as? [String: Any])
        let message = Array(try #require(expected["signing_input"] as? String).utf8)
        let open = try #require(file["public_key_pem"] as? String)
        let verification = try #require(P256Verification(publicKey: open))
        let pairs = try Vectors.objects("fcm-apns/apns-jwt", "der_to_jose")
        #expect(pairs.count == 5)
        var tags: Set<String> = []
        for pair in pairs {
            tags.formUnion(try #require(pair["tags"] as? [String]))
            let der = Self.bytes(try #require(pair["der_hex"] as? String))
            let joined = Self.bytes(try #require(pair["jose_hex"] as? String))
            #expect(der.count == pair["der_len"] as? Int && joined.count == 64)
            #expect(ES256Signature(der: der)?.bytes == joined)
            #expect(ES256Signature(joined)?.der == der)
            #expect(Base64.encodeURL(joined) == pair["jose_b64url"] as? String)
            #expect(verification.isValid(joined, of: message))
            var other = joined
            other[40] ^= 1
            #expect(!verification.isValid(other, of: message) && !verification.isValid(joined, of: message + [0]))
        }
        #expect(tags == ["plain", "r_high_bit", "s_high_bit", "r_short", "s_short"])
    }

    @Test func whatIsNoSignatureIsRefused() {
        let number: [UInt8] = [2, 1, 7]
        #expect(ES256Signature(der: [0x30, 6] + number + number)?.bytes.count == 64)
        for der in [
            [], [0x30], [0x30, 6] + number, [0x30, 6] + number + number + [0], [0x31, 6] + number + number,
            [0x30, 6] + number + [2, 1, 0x87],  // below zero
            [0x30, 0x27, 2, 0x22] + [1] + [UInt8](repeating: 0, count: 33) + number,  // 34 bytes
        ] { #expect(ES256Signature(der: der) == nil, "\(der)") }
        #expect(ES256Signature([UInt8](repeating: 1, count: 63)) == nil && ES256Signature([]) == nil)
    }

    @Test func anyBytesAreReadOrRefused() {
        var random = SystemRandomNumberGenerator()
        for count in 0..<200 {
            let der = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if let signature = ES256Signature(der: der) { #expect(signature.bytes.count == 64) }
        }
    }

    @Test func aPublicKeyOfAnotherKindChecksNothing() throws {
        let rsa = RSAKeyPair.generate()
        #expect(P256Verification(publicKey: rsa.publicKey) == nil && P256Verification(publicKey: "") == nil)
        let pair = P256KeyPair.generate()
        #expect(P256Verification(publicKey: pair.privateKey.reveal()) == nil)
        let verification = try #require(P256Verification(publicKey: pair.publicKey))
        for signature in [[], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 255, count: 64), [1]] {
            #expect(!verification.isValid(signature, of: [1]))
        }
    }
}
