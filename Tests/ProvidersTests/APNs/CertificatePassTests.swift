import HTTPTransport
import PushModel
import Signing
import Testing
import VectorSupport

@testable import Providers

@Suite struct CertificatePassTests {
    private static func pass(_ source: CertificatePass) throws -> Pass { try #require(source.pass(for: "x")) }

    private static func certificate(_ prefix: String = "") throws -> ClientCertificate {
        let members = try Vectors.object("fcm-apns/client_certificate")
        return try ClientCertificate(
            certificate: #require(members[prefix + "certificate"] as? String),
            key: Secret(#require(members[prefix + "key"] as? String)))
    }

    @Test func aCertificateAlwaysHasAPassWithoutAHeader() async throws {
        let source = try CertificatePass(Self.certificate(), of: APNsCredentials())
        let pass = try Self.pass(source)
        #expect(pass.header == nil && pass.expiry == 1_738_324_800 && pass.credential == 1 && pass.generation == 0)
        #expect(try Self.pass(source) == pass)
        #expect(source.trouble == nil && source.expiry == 1_738_324_800 && source.issued == 0)
        #expect(!source.hasSecondary && !source.usesSecondary && !source.use(secondary: true))
        #expect(!source.useOther(than: pass))
        await source.keepReady { _ in Issue.record("there is nothing to report") }
    }

    @Test func aRefusalLeavesTheConnectionsOnce() throws {
        let credentials = APNsCredentials()
        let source = try CertificatePass(Self.certificate(), of: credentials)
        let other = try CertificatePass(Self.certificate(), of: credentials)
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
        let one = try Self.pass(CertificatePass(Self.certificate(), of: credentials))
        let other = try CertificatePass(Self.certificate("other_"), of: credentials)
        let key = try #require(
            ProviderTokens(primary: TestAPNs.key(), environment: .production, of: credentials).pass(for: "x"))
        #expect(Set([one.credential, try Self.pass(other).credential, key.credential]).count == 3)
        other.forget(one)
        #expect(try Self.pass(other).generation == 0)
    }

    @Test func aPushNamesTheCertificateForItsConnections() throws {
        let source = try CertificatePass(Self.certificate(), of: APNsCredentials())
        let apns = try APNs(topic: "com.example.shop", environment: .production, database: 1)
        let request = try apns.request(for: APNs.nobody, id: 7, with: Self.pass(source))
        let identity = try #require(request.group.identity)
        #expect(try identity === Self.pass(source).certificate && request.group.credential == 1)
        #expect(try identity.revealKey().key == Self.certificate().key.reveal())
        #expect(!request.shownHeaders.contains { $0.name.lowercased() == "authorization" })
        var printed = "\(request)"
        dump(request, to: &printed)
        #expect(!printed.contains("PRIVATE KEY"))
    }
}
