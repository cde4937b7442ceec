import Foundation
import Testing
import VectorSupport

@testable import HubEmulator

/// Real clients of Java over HTTP/2, of which the SDK's default one speaks nothing else. Debian has no package of the SDK
/// itself; bin/setup --test installs its HTTP client.
@Suite struct JavaClientTests {
    private static let jars = ["httpclient5", "httpcore5", "httpcore5-h2", "slf4j-api", "slf4j-nop"].map {
        "/usr/share/java/\($0).jar"
    }

    private static let isExpected =
        FileManager.default.fileExists(atPath: jars[0]) || ProcessInfo.processInfo.environment["CI"] == "true"

    /// As docs/emulator.md tells users of Java to trust the emulator.
    @Test(.enabled(if: isExpected, Program.advice))
    func theDefaultClientOfTheSDKSends() async throws {
        try await EmulatorFixture.runWithTLS { fixture, authority in
            let store = authority + ".p12"
            defer { try? FileManager.default.removeItem(atPath: store) }
            let made = try await Program("keytool")([
                "-importcert", "-noprompt", "-file", authority, "-keystore", store, "-storepass", "changeit",
            ])
            #expect(made.status == 0, "\(made)")
            let source = Vectors.url("Http2Client.java")
            let port = try #require(fixture.emulator.securePort)
            let ended = try await Program("java")([
                "-cp", Self.jars.joined(separator: ":"), "-Djavax.net.ssl.trustStore=\(store)",
                "-Djavax.net.ssl.trustStorePassword=changeit", source.path(), "https://127.0.0.1:\(port)/news",
                fixture.token("all"),
            ])
            #expect(
                ended.output == """
                    Apache HTTP/2.0: 100 taken
                    Apache found an id: true
                    JDK HTTP_2: 201

                    """, "\(ended)")
            #expect(fixture.emulator.count().taken == 101)
        }
    }
}
