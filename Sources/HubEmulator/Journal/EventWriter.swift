import Foundation
import HTTPServer

/// Writes server-sent events (HTML Living Standard section 9.2.6). A client that reads nothing for 20 s is disconnected:
/// nothing is buffered for it, and it can reconnect for the rest.
struct EventWriter: Sendable {
    struct TooSlow: Error {}

    private static let writeTimeout = Duration.seconds(20)
    /// After this much silence a comment is sent, so that proxies do not close the connection.
    static let keepAliveInterval = Duration.seconds(15)

    private let writer: ResponseWriter

    init(_ writer: ResponseWriter) { self.writer = writer }

    /// - Throws: `TooSlow`, or the error of the closed connection.
    func write(_ events: [Event]) async throws {
        guard !events.isEmpty else { return }
        try await put(events.map(\.text).joined())
    }

    /// Writes an empty comment.
    func writeKeepAlive() async throws { try await put(":\n\n") }

    private func put(_ text: String) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await writer.write(Array(text.utf8)) }
            group.addTask {
                try await Task.sleep(for: Self.writeTimeout)
                throw TooSlow()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

/// One server-sent event.
struct Event: Sendable {
    let text: String

    /// - Parameters:
    ///   - id: a client that reconnects sends the last one it got.
    ///   - retry: milliseconds after which a client that lost the connection reconnects.
    init(_ name: String, _ data: String, id: Int? = nil, retry: Int? = nil) {
        var text = ""
        if let retry { text += "retry: \(retry)\n" }
        text += "event: \(name)\n"
        if let id { text += "id: \(id)\n" }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: Self.isLineEnd) {
            text += "data: \(line)\n"
        }
        self.text = text + "\n"
    }

    /// The line ends of the format. Others, such as U+2028, stay in the data.
    private static func isLineEnd(_ character: Character) -> Bool { ["\n", "\r", "\r\n"].contains(character) }

    init(_ name: String, json value: some Encodable, id: Int? = nil, retry: Int? = nil) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.init(name, String(decoding: try encoder.encode(value), as: UTF8.self), id: id, retry: retry)
    }
}
