import Foundation
import HubEmulator
import ProgramSupport
import Testing

/// `transport.caFile`: which authorities hubs are verified with.
@Suite struct TrustedCertificatesTests {
    private let hello = ["send", "--hub", "news", "--tag", "World", "--property", "title=Hello", "--locale", "en"]

    @Test func aHubIsTrustedOnlyWithTheAuthorityOfTheSettings() async throws {
        try await HubSite.run(isSecure: true) { site in
            let untrusted = try await site.fanfare.run(hello)
            #expect(untrusted.status != 0)
            #expect(untrusted.errors.contains("certificate"), "\(untrusted.errors)")
            #expect(site.emulator.journal().isEmpty)

            let trusted = try await site.fanfare.run(hello + ["--set", "transport.caFile=\(site.path("ca.pem"))"])
            #expect(trusted.status == 0, "\(trusted.errors)")
            #expect(site.emulator.journal().count == 1)
        }
    }

    /// The system's authorities do not count beside those of the file.
    @Test func theFileReplacesTheSystemsAuthorities() async throws {
        try await HubSite.run(isSecure: true) { site in
            let others = "transport.caFile=/etc/ssl/certs/ca-certificates.crt"
            let ended = try await site.fanfare.run(hello + ["--set", others])
            #expect(ended.status != 0 && site.emulator.journal().isEmpty, "\(ended.errors)")
        }
    }

    @Test func doctorNamesTheFileAndTheWayOut() async throws {
        try await HubSite.run(isSecure: true) { site in
            let untrusted = try await site.fanfare("doctor", "--hub", "news")
            #expect(untrusted.output.contains("transport.caFile"), "\(untrusted.output)")
            let file = site.path("ca.pem")
            let trusted = try await site.fanfare("doctor", "--hub", "news", "--set", "transport.caFile=\(file)")
            #expect(trusted.output.contains(file) && trusted.output.contains("accepted by"), "\(trusted.output)")
        }
    }

    @Test func aFileThatIsNotThereIsNamedBeforeAnythingLeaves() async throws {
        try await HubSite.run(isSecure: true) { site in
            let ended = try await site.fanfare.run(hello + ["--set", "transport.caFile=/nonexistent/ca.pem"])
            #expect(ended.status == 78, "\(ended.status)")
            #expect(ended.errors.contains("transport.caFile: is /nonexistent/ca.pem, which cannot be read"))
        }
    }
}
