import HTTPServer
import HTTPTypes
import Testing

@testable import Console

extension TestConsole {
    private static let pending = "still being worked out"

    /// The page as text, when its forecast is there.
    func whole(_ path: String) async throws -> String {
        while true {
            let page = try await page(path)
            if !page.contains(Self.pending) { return page }
        }
    }

    /// The question of an action, or why there is none, when the forecast that it says is there.
    func ask(_ action: String, _ fields: [(String, String)]) async throws -> (status: Int, page: String) {
        while true {
            let answer = try #require(
                try await post("/act/\(action)", fields: fields.map { (name: $0.0, value: $0.1) }))
            let page = String(decoding: answer.body, as: UTF8.self)
            if !page.contains(Self.pending) { return (answer.status, page) }
        }
    }

    /// The same as a page alone.
    func ask(_ action: String, _ fields: KeyValuePairs<String, String>) async throws -> String {
        try await ask(action, fields.map { ($0.key, $0.value) }).page
    }

    /// Asks, confirms, and waits until the action is over.
    ///
    /// - Parameter typed: what the question wants typed; nil: nothing.
    func act(_ action: String, _ fields: [(String, String)], typed: String? = nil) async throws -> ActionRecord {
        let page = try await ask(action, fields).page
        let number = try #require(page.firstMatch(of: /name="confirmation" value="([^"]*)"/), "\(page)").1
        let confirmed = fields + [("confirmation", String(number)), ("typed", typed ?? "")]
        let answer = try #require(
            try await post("/act/\(action)", fields: confirmed.map { (name: $0.0, value: $0.1) }))
        let address = try #require(answer.headers[.location], "\(String(decoding: answer.body, as: UTF8.self))")
        let id = String(try #require(address.split(separator: "/").last))
        return try await desk.ended(id)
    }

    func act(
        _ action: String, _ fields: KeyValuePairs<String, String>, typing typed: String? = nil
    ) async throws -> ActionRecord {
        try await act(action, fields.map { ($0.key, $0.value) }, typed: typed)
    }
}
