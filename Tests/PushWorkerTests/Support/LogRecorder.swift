import Logging
import Synchronization

/// Keeps what a worker logs.
final class LogRecorder: Sendable {
    struct Line: Sendable {
        var message: String
        var fields: [String: String]
    }

    private let kept = Mutex<[Line]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(recorder: self) } }

    /// The fields of every line with this message.
    func fields(of message: String) -> [[String: String]] { fields { $0 == message } }

    /// The fields of every line whose message is one of these.
    func fields(where isWanted: (String) -> Bool) -> [[String: String]] {
        kept.withLock { $0.filter { isWanted($0.message) }.map(\.fields) }
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = Line(
                message: event.message.description, fields: (event.metadata ?? [:]).mapValues { "\($0)" })
            recorder.kept.withLock { $0.append(line) }
        }
    }
}
