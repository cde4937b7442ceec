import Foundation

@testable import HubEmulator

extension EmulatorFixture {
    /// A running emulator that listens with TLS too.
    ///
    /// - Parameter body: gets the emulator and the path of its authority's certificate.
    static func runWithTLS(
        _ change: (inout EmulatorSettings) -> Void = { _ in }, _ body: (EmulatorFixture, String) async throws -> Void
    ) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "ca-\(UUID().uuidString).pem").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try await run({
            $0.tls = .init(caFile: file)
            change(&$0)
        }) { fixture in try await body(fixture, file) }
    }
}
