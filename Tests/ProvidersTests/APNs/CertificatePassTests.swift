import Signing
import Testing

@testable import Providers

@Suite struct CertificatePassTests {
    private static func pass(_ source: CertificatePass) throws -> Pass { try #require(source.pass(for: "x")) }

    @Test func aCertificateAlwaysHasAPassWithoutAHeader() async throws {
        let source = CertificatePass(certificate: "PEM", notAfter: 1_900_000_000, of: APNsCredentials())
        let pass = try Self.pass(source)
        #expect(pass.header == nil && pass.expiry == 1_900_000_000 && pass.credential == 1 && pass.generation == 0)
        #expect(try Self.pass(source) == pass)
        #expect(source.trouble == nil && source.expiry == 1_900_000_000 && source.issued == 0)
        #expect(!source.hasSecondary && !source.usesSecondary && !source.use(secondary: true))
        #expect(!source.useOther(than: pass))
        await source.keepReady { _ in Issue.record("there is nothing to report") }
    }

    @Test func aRefusalLeavesTheConnectionsOnce() throws {
        let credentials = APNsCredentials()
        let source = CertificatePass(certificate: "PEM", notAfter: 1, of: credentials)
        let other = CertificatePass(certificate: "PEM", notAfter: 1, of: credentials)
        let first = try Self.pass(source)
        source.forget(first)
        other.forget(first)
        let second = try Self.pass(source)
        #expect(second.generation == 1 && second != first)
        #expect(try Self.pass(other) == second, "hubs with one certificate share its connections")
        source.throttled(second, for: 1_200)
        #expect(try Self.pass(other).generation == 2)
    }

    @Test func everyCertificateIsACredentialOfItsOwn() throws {
        let credentials = APNsCredentials()
        let one = try Self.pass(CertificatePass(certificate: "A", notAfter: 1, of: credentials))
        let other = CertificatePass(certificate: "B", notAfter: 1, of: credentials)
        let key = try #require(
            ProviderTokens(primary: TestAPNs.key(), environment: .production, of: credentials).pass(for: "x"))
        #expect(Set([one.credential, try Self.pass(other).credential, key.credential]).count == 3)
        other.forget(one)
        #expect(try Self.pass(other).generation == 0)
    }
}
