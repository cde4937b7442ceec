import Foundation
import Logging
import Testing

@testable import Telemetry

@Suite struct BootstrapLoggingTests {
    /// In a process of its own: logging is set up once in a process.
    @Test func everyLoggerWritesToStandardErrorAndFollowsOneThreshold() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let threshold = bootstrapLogging(level: .warning, format: .auto)
            let logger = Logger(label: "fanfare.test")
            logger.info("not yet")
            logger.warning("first")
            threshold.level = .info
            logger.info("second")
        }
        let objects = try #require(result).standardErrorContent.split(separator: UInt8(ascii: "\n")).compactMap {
            line in
            // The test process may say something of its own first, and not in JSON.
            try? JSONSerialization.jsonObject(with: Data(line)) as? [String: String]
        }
        #expect(objects.map { $0["msg"] } == ["first", "second"])
        #expect(objects.map { $0["level"] } == ["warning", "info"])
        #expect(objects.allSatisfy { $0["logger"] == "fanfare.test" })
    }
}
