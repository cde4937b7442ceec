import Glibc
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct TransportSettingsTests {
    @Test func theDefaultsAreValid() {
        #expect(TransportSettings().problems == [])
    }

    @Test func allProblemsAreNamedAtOnce() throws {
        var settings = TransportSettings()
        settings.slots = 0
        settings.timeout = .zero
        settings.newConnectionsPerTurn = 5000
        settings.proxy = "http://user:hunter2@proxy\r\n"
        let error = try #require(throws: TransportError.self) { try HTTPClient(settings) }
        for name in ["slots is 0", "timeout is 0.0 seconds", "newConnectionsPerTurn is 5000", "proxy is"] {
            #expect(error.description.contains(name), "\(error)")
        }
        #expect(!error.description.contains("hunter2"))
    }

    @Test func aMissingCertificateBundleIsFoundAtTheStart() throws {
        var settings = TransportSettings()
        settings.caBundle = "/nonexistent/ca.pem"
        let error = try #require(throws: TransportError.self) { try HTTPClient(settings) }
        #expect(error.code == ENOENT)
        #expect(error.description.contains("caBundle /nonexistent/ca.pem"))
    }
}
