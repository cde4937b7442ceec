import Logging
import Signing
import Synchronization

/// Writes one line per event: `{"ts":"2026-11-21T16:37:00.250Z","level":"info","msg":"…","logger":"…", …}`, or the same
/// as text for a person. Secrets in messages and metadata become `•••` (`SecretMask`).
///
/// Nested metadata is flattened: `["hub": ["name": "news"]]` becomes `"hub.name":"news"`. Integers, doubles and flags
/// given as `.stringConvertible` stay numbers and flags; doubles are rounded to thousandths. A metadata key with the name of a fixed member gets a trailing
/// `_`.
public struct JSONLogHandler: LogHandler {
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    /// Follows the shared threshold until it is set for this logger alone.
    public var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }

    private let label: String
    private let threshold: LogThreshold
    private let format: LogFormat
    private let isJournal: Bool
    private let now: @Sendable () -> LogTime
    private let write: @Sendable ([UInt8]) -> Void
    private var ownLevel: Logger.Level?

    public init(
        label: String, threshold: LogThreshold, format: LogFormat = .auto, output: LogOutput = .standardError,
        metadataProvider: Logger.MetadataProvider? = nil
    ) {
        self.init(
            label: label, threshold: threshold, format: format.resolved(onTerminal: output.isTerminal),
            isJournal: output.isJournal, metadataProvider: metadataProvider, now: LogTime.now, write: output.write)
    }

    init(
        label: String, threshold: LogThreshold, format: LogFormat, isJournal: Bool = false,
        metadataProvider: Logger.MetadataProvider? = nil, now: @escaping @Sendable () -> LogTime,
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.label = label
        self.threshold = threshold
        self.format = format
        self.isJournal = isJournal
        self.metadataProvider = metadataProvider
        self.now = now
        self.write = write
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        let line = LogLine(
            time: now(), level: event.level, logger: label, message: event.message.description, metadata: all)
        write(line.bytes(format, forJournal: isJournal))
    }
}

/// Sends every logger of this process to standard error. Call it once, first in `main`.
///
/// - Returns: the threshold that all loggers follow; a new level takes effect at once.
@discardableResult
public func bootstrapLogging(level: Logger.Level = .info, format: LogFormat = .auto) -> LogThreshold {
    let threshold = LogThreshold(level)
    LoggingSystem.bootstrap(
        { label, provider in
            JSONLogHandler(label: label, threshold: threshold, format: format, metadataProvider: provider)
        },
        metadataProvider: nil)
    return threshold
}

/// The level below which nothing is logged, shared by every logger without a level of its own.
///
/// One atomic read per check; a reload can change the level while the worker runs.
public final class LogThreshold: Sendable {
    private let index: Atomic<Int>

    public init(_ level: Logger.Level) {
        index = Atomic(Self.levels.firstIndex(of: level) ?? 0)
    }

    public var level: Logger.Level {
        get { Self.levels[index.load(ordering: .relaxed)] }
        set { index.store(Self.levels.firstIndex(of: newValue) ?? 0, ordering: .relaxed) }
    }

    private static let levels = Logger.Level.allCases
}

/// How log lines look: `log.format` in config.json.
public enum LogFormat: String, Sendable, CaseIterable {
    /// Text when standard error is a terminal, JSON otherwise. The default.
    case auto
    /// For a person: time, level, logger, message, `key=value`.
    case text
    /// For a machine: one JSON object per line.
    case json

    /// The format to write; never `.auto`.
    public func resolved(onTerminal: Bool) -> LogFormat {
        self == .auto ? (onTerminal ? .text : .json) : self
    }
}
