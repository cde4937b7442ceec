import Foundation
import Logging
import Synchronization
import Testing

@testable import Telemetry

/// Keeps the lines of a logger whose clock stands at 2026-11-21T16:37:00.250Z.
final class CapturedLog: Sendable {
    private let bytes = Mutex<[[UInt8]]>([])

    func logger(
        _ format: LogFormat = .json, label: String = "lane", level: Logger.Level = .trace, isJournal: Bool = false,
        threshold: LogThreshold? = nil, provider: Logger.MetadataProvider? = nil
    ) -> Logger {
        Logger(label: label) { label in
            JSONLogHandler(
                label: label, threshold: threshold ?? LogThreshold(level), format: format, isJournal: isJournal,
                metadataProvider: provider, now: { LogTime(milliseconds: 1_795_279_020_250) },
                write: { line in self.bytes.withLock { $0.append(line) } })
        }
    }

    /// Every line as written, with its line feed.
    var lines: [String] { bytes.withLock { $0.map { String(decoding: $0, as: UTF8.self) } } }

    /// The lines, parsed by Foundation.
    func objects(_ range: Range<Int>? = nil) throws -> [NSDictionary] {
        try bytes.withLock { lines in
            try lines[range ?? lines.indices].map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line)) as? NSDictionary)
            }
        }
    }
}
