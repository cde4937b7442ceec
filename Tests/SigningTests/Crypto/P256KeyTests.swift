import Foundation
import Testing
import VectorSupport

@testable import Signing

@Suite struct P256KeyTests {
    private static func pem() throws -> String {
        try #require(Vectors.object("fcm-apns/apns-jwt")["p8_pem"] as? String)
    }

    private func parse(_ pem: String) -> Result<P256Key, P256KeyError> {
        Result { () throws(P256KeyError) in try P256Key(pem: Secret(pem)) }
    }

    private func error(_ pem: String) -> P256KeyError? {
        if case .failure(let error) = parse(pem) { error } else { nil }
    }

    @Test func theKeyOfTheVectorsSigns() throws {
        let key = try parse(Self.pem()).get()
        let open = try #require(Vectors.object("fcm-apns/apns-jwt")["public_key_pem"] as? String)
        #expect(key.publicKey == open)
        let verification = try #require(P256Verification(publicKey: open))
        let message = Array("a message".utf8)
        // Leading zeros come once in 256 signatures and number.
        for _ in 0..<600 {
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(verification.isValid(signature, of: message))
        }
        #expect(try key.sign(message) != key.sign(message), "no two signatures are the same")
    }

    @Test func everyFormOfTheKeyIsTheSameKey() throws {
        let key = try parse(Self.pem()).get()
        let taken = try Vectors.objects("fcm-apns/provider_keys", "taken")
        #expect(taken.count == 6)
        for vector in taken {
            let other = try parse(#require(vector["pem"] as? String)).get()
            #expect(other == key && other.hashValue == key.hashValue, "\(vector["case"] ?? "")")
            let signature = try other.sign([1])
            #expect(P256Verification(publicKey: key.publicKey)?.isValid(signature, of: [1]) == true)
        }
        let second = try #require(Vectors.object("fcm-apns/provider_keys")["second_key"] as? String)
        #expect(try parse(second).get() != key)
    }

    @Test func everyUnusableKeyHasAnErrorOfItsOwn() throws {
        let refused = try Vectors.objects("fcm-apns/provider_keys", "refused")
        #expect(refused.count == 11)
        for vector in refused {
            let error = error(try #require(vector["pem"] as? String))
            let says = try #require(vector["says"] as? String)
            #expect(error?.description.contains(says) == true, "\(vector["case"] ?? "")")
        }
    }

    @Test func aDamagedKeyIsNamed() throws {
        let pem = try Self.pem()
        #expect(error(String(pem.dropLast(40))) == .cutOff)
        #expect(error(pem.replacing("\n", with: "\\n")) == .escapedLines)
        for text in ["", " \n", "MIGHAgEA", "/run/secrets/AuthKey_ABC123DEFG.p8", "key: \(pem)"] {
            #expect(error(text) == .notPEM, "\(text.prefix(10))")
        }
        let lines = pem.split(separator: "\n")
        #expect(error([lines[0], lines[2], lines[3], lines[4]].joined(separator: "\n")) == .unreadable)
        #expect(error("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n") == .unreadable)
        #expect(error(pem + String(repeating: " ", count: 40_000)) == .unreadable)
        #expect(error("-----BEGIN PRIVATE KEY\n") == .cutOff)
    }

    /// Still a key in form, whose halves do not belong together, or none.
    @Test func aKeyWithAnotherDigitIsRefusedOrSigns() throws {
        let pem = Array(try Self.pem().utf8)
        var refused = 0
        for place in 28..<(pem.count - 27) where pem[place] != UInt8(ascii: "\n") {
            var other = pem
            other[place] = pem[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            switch parse(String(decoding: other, as: UTF8.self)) {
            case .success(let key):
                #expect(P256Verification(publicKey: key.publicKey)?.isValid(try key.sign([7]), of: [7]) == true)
            case .failure: refused += 1
            }
        }
        #expect(refused > 100)
    }

    @Test func noErrorAndNoKeyShowsTheText() throws {
        let pem = try Self.pem()
        let key = try parse(pem).get()
        var printed = "\(key) \(String(reflecting: key))"
        dump(key, to: &printed)
        let secrets = pem.split(separator: "\n").dropFirst().dropLast()
        for broken in [
            String(pem.dropLast(40)), pem.replacing("\n", with: "\\n"), pem.replacing("MIGH", with: "AAAA"), pem + pem,
        ] {
            printed += "\(String(describing: error(broken)))"
        }
        // The last line of the file is of the open half alone.
        for line in secrets.prefix(2) { #expect(!printed.contains(line.prefix(16))) }
        #expect(printed.contains("•••"))
    }

    @Test func aPairIsAKeyAndItsOtherHalf() throws {
        let pair = P256KeyPair.generate()
        let key = try P256Key(pem: pair.privateKey)
        #expect(key.publicKey == pair.publicKey)
        #expect(pair.privateKey.reveal().hasPrefix("-----BEGIN PRIVATE KEY-----"))
        #expect("\(pair)".contains("•••") && P256KeyPair.generate().publicKey != pair.publicKey)
    }
}
