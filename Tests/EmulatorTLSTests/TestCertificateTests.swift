import Foundation
import Testing

@testable import EmulatorTLS

/// Certificates, read back by OpenSSL's own tool.
@Suite struct TestCertificateTests {
    private func openssl(_ arguments: String...) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    private func withFiles(_ made: TestCertificate, _ body: (String, String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "certificate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // a leftover does no harm
        let authority = folder.appending(path: "ca.pem"), leaf = folder.appending(path: "leaf.pem")
        try made.authority.write(to: authority, atomically: true, encoding: .utf8)
        try made.certificate.write(to: leaf, atomically: true, encoding: .utf8)
        try body(authority.path, leaf.path)
    }

    @Test func theAuthorityVerifiesTheServerAndItsNames() throws {
        try withFiles(try TestCertificate(names: ["hub.example", "192.0.2.7", "2001:db8::7"])) { authority, leaf in
            for name in ["localhost", "hub.example"] {
                let check = try openssl(
                    "verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", name, "-CAfile", authority,
                    leaf)
                #expect(check.status == 0, "\(check.text)")
            }
            for address in ["127.0.0.1", "::1", "192.0.2.7", "2001:db8::7"] {
                let check = try openssl("verify", "-verify_ip", address, "-CAfile", authority, leaf)
                #expect(check.status == 0, "\(check.text)")
            }
            #expect(try openssl("verify", "-verify_hostname", "other.example", "-CAfile", authority, leaf).status != 0)
            #expect(try openssl("verify", leaf).status != 0)
        }
    }

    @Test func aCertificateIsValidFor30Days() throws {
        try withFiles(try TestCertificate()) { authority, leaf in
            for file in [authority, leaf] {
                #expect(try openssl("x509", "-in", file, "-noout", "-checkend", "\(29 * 86_400)").status == 0)
                #expect(try openssl("x509", "-in", file, "-noout", "-checkend", "\(31 * 86_400)").status == 1)
                let text = try openssl("x509", "-in", file, "-noout", "-text").text
                #expect(text.contains("ASN1 OID: prime256v1"))
                #expect(text.contains("ecdsa-with-SHA256"))
            }
        }
    }

    @Test func noTwoAreTheSame() throws {
        let one = try TestCertificate(), other = try TestCertificate()
        #expect(one.authority != other.authority)
        #expect(one.key != other.key)
        #expect("\(one)".contains("PRIVATE") == false)
    }

    @Test(arguments: ["", "a,DNS:b", "a b", "a\nb", "é", String(repeating: "a", count: 254), "1:2:3:4:5"])
    func invalidNamesAreRefused(name: String) {
        #expect(throws: TestCertificateError.self) { try TestCertificate(names: [name]) }
    }
}
