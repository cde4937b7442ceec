import Foundation
import HTTPServer

/// Writes server-sent events (HTML Living Standard section 9.2.6). One reader that takes nothing for 20 s is cut: nothing
/// is kept for it meanwhile, and it may come back for the rest.
struct EventWriter: Sendable {
    struct TooSlow: Error {}

    private static let patience = Duration.seconds(20)
    /// Seconds of silence after which a comment is sent, so that nobody in between takes the connection for dead.
    static let heartbeat = Duration.seconds(15)

    private let writer: ResponseWriter

    init(_ writer: ResponseWriter) { self.writer = writer }

    /// - Parameters:
    ///   - id: what a client that comes back says it had last.
    /// - Throws: `TooSlow`, or what the connection throws when it is gone.
    func write(_ events: [Event]) async throws {
        guard !events.isEmpty else { return }
        try await put(events.map(\.text).joined())
    }

    /// A line that says nothing.
    func beat() async throws { try await put(":\n\n") }

    private func put(_ text: String) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await writer.write(Array(text.utf8)) }
            group.addTask {
                try await Task.sleep(for: Self.patience)
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

    /// - Parameter retry: milliseconds after which a client that lost the connection comes back.
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

    /// Those of the format; others, such as U+2028, stay in the data.
    private static func isLineEnd(_ character: Character) -> Bool { ["\n", "\r", "\r\n"].contains(character) }

    init(_ name: String, json value: some Encodable, id: Int? = nil, retry: Int? = nil) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.init(name, String(decoding: try encoder.encode(value), as: UTF8.self), id: id, retry: retry)
    }
}
