import HubEmulator
import Testing

@testable import EmulatorTLS

@Suite struct SelfIssuedTLSTests {
    @Test func everyIdentityHasItsOwnAuthority() throws {
        let one = try SelfIssuedTLS().identity(names: ["hub.example"], clients: [:])
        let other = try SelfIssuedTLS().identity(names: ["hub.example"], clients: [:])
        #expect(one.authority.hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(!one.authority.contains("PRIVATE"))
        #expect(one.authority != other.authority)
    }

    @Test func anInvalidNameIsRefused() {
        #expect(throws: TestCertificateError.self) { try SelfIssuedTLS().identity(names: ["a,DNS:b"], clients: [:]) }
    }

    /// It starts and stops with a port for TLS; HubEmulatorTests/Journeys/TLSTests sends through it.
    @Test func theEmulatorTakesItAsItsProvider() async throws {
        var settings = EmulatorSettings(hubs: [.init("news")])
        settings.tls = .init()
        let emulator = try HubEmulator(settings, tls: SelfIssuedTLS())
        _ = try await emulator.start()
        #expect(emulator.securePort != nil)
        #expect(emulator.certificateAuthority != nil)
        await emulator.stop()
    }
}
