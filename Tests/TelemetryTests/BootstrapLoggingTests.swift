import Foundation
import Logging
import Testing

@testable import Telemetry

@Suite struct BootstrapLoggingTests {
    /// In its own process: logging is set up once per process.
    @Test func everyLoggerFollowsOneThreshold() async throws {
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
            // The loss is meant: the test process may write lines of its own, which are not JSON.
            try? JSONSerialization.jsonObject(with: Data(line)) as? [String: String]
        }
        #expect(objects.map { $0["msg"] } == ["first", "second"])
        #expect(objects.map { $0["level"] } == ["warning", "info"])
        #expect(objects.allSatisfy { $0["logger"] == "fanfare.test" })
    }
}
