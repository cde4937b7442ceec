import Foundation
import Testing
import VectorSupport

@testable import Signing

@Suite struct ClientCertificateTests {
    private static func text(_ member: String) throws -> String {
        try #require(Vectors.object("fcm-apns/client_certificate")[member] as? String)
    }

    private func error(_ certificate: String, _ key: String, _ password: String? = nil) -> ClientCertificateError? {
        do throws(ClientCertificateError) {
            _ = try ClientCertificate(certificate: certificate, key: Secret(key), password: password.map(Secret.init))
            return nil
        } catch {
            return error
        }
    }

    @Test func itsDatesAndItsAppAreRead() throws {
        let read = try ClientCertificate(certificate: Self.text("certificate"), key: Secret(Self.text("key")))
        #expect(read.notBefore == 1_704_067_200 && read.notAfter == 1_738_324_800)
        #expect(read.userID == "com.example.shop")
        let other = try ClientCertificate(
            certificate: Self.text("other_certificate"), key: Secret(Self.text("other_key")))
        #expect(other.userID == nil && other.notAfter - other.notBefore == 30 * 86_400)
    }

    @Test func aCertificateMayBringItsIssuers() throws {
        let both = try Self.text("certificate") + Self.text("other_certificate")
        #expect(try error(both, Self.text("key")) == nil)
        let read = try ClientCertificate(certificate: both, key: Secret(Self.text("key")))
        #expect(read.userID == "com.example.shop" && read.certificate == both)
    }

    @Test(arguments: ["encrypted_key", "encrypted_sec1_key"]) func anEncryptedKeyNeedsItsPassword(member: String) throws
    {
        let (certificate, key) = try (Self.text("certificate"), Self.text(member))
        #expect(error(certificate, key, "secret") == nil)
        #expect(error(certificate, key) == .passwordMissing)
        for password in ["", "Secret", "secret "] { #expect(error(certificate, key, password) == .password) }
        #expect(try error(certificate, Self.text("key"), "secret") == nil, "one too many does no harm")
    }

    @Test func whatDoesNotBelongTogetherIsRefused() throws {
        let (certificate, key) = try (Self.text("certificate"), Self.text("key"))
        #expect(try error(certificate, Self.text("other_key")) == .keyOfAnother)
        #expect(try error(Self.text("other_certificate"), key) == .keyOfAnother)
        for text in ["", "/run/secrets/cert.pem", key] { #expect(error(text, key) == .notPEM) }
        for text in ["", "/run/secrets/key.pem", certificate] { #expect(error(certificate, text) == .keyNotPEM) }
        #expect(error(String(certificate.dropLast(30)), key) == .cutOff)
        #expect(error(certificate.replacing("MII", with: "AAA"), key) == .unreadable)
        #expect(error(certificate, key.replacing("MIGH", with: "AAAA")) == .keyUnreadable)
        #expect(error(certificate, String(key.dropLast(30))) == .keyUnreadable)
    }

    @Test func neitherErrorNorValuePrintsTheKey() throws {
        let (certificate, key) = try (Self.text("certificate"), Self.text("key"))
        let read = try ClientCertificate(certificate: certificate, key: Secret(key), password: Secret("hunter2"))
        var printed = "\(read)"
        dump(read, to: &printed)
        for broken in [String(key.dropLast(30)), key.replacing("MIGH", with: "AAAA"), ""] {
            printed += "\(String(describing: error(certificate, broken)))"
        }
        #expect(!printed.contains("PRIVATE KEY-----\nMIG") && !printed.contains("hunter2") && printed.contains("•••"))
        let lines = key.split(separator: "\n")
        #expect(!printed.contains(lines[1].prefix(20)))
    }
}
