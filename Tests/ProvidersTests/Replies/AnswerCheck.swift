import HTTPTransport

@testable import Providers

/// What must hold for any answer of a hub, whatever its bytes. `AnswerParserTests` runs it over seeds and mutations of
/// them, bin/fuzz over libFuzzer's inputs.
enum AnswerCheck: String, CaseIterable, Sendable {
    case error, outcome, page, location, date, wait, line, sent

    /// A promise that did not hold.
    struct Broken: Error {
        let promise: String
    }

    func run(_ bytes: [UInt8]) throws(Broken) {
        let text = String(decoding: bytes, as: UTF8.self)
        switch self {
        case .error: try Self.error(bytes)
        case .outcome: try Self.outcome(bytes)
        case .page: try Self.page(bytes)
        case .location: try Self.location(text)
        case .date: try Self.date(text)
        case .wait: try Self.wait(text)
        case .line: try Self.line(text)
        case .sent: try Self.sent(text)
        }
    }

    private static func hold(_ condition: Bool, _ promise: @autoclosure () -> String) throws(Broken) {
        if !condition { throw Broken(promise: promise()) }
    }

    private static func error(_ bytes: [UInt8]) throws(Broken) {
        let error = HubError(body: bytes)
        for text in [error.code, error.detail, error.tracking ?? "", error.timestamp ?? "", error.name ?? ""] {
            // A broken byte becomes U+FFFD, which has three.
            try hold(text.utf8.count <= 3 * bytes.count, "a text is not longer than its bytes")
        }
        try hold(error.subcode?.utf8.allSatisfy { (48...57).contains($0) } ?? true, "a subcode is digits")
        let isName = error.name?.utf8.allSatisfy { (65...90).contains($0 & 0xDF) } ?? true
        try hold(isName, "a name is letters")
    }

    private static func outcome(_ bytes: [UInt8]) throws(Broken) {
        guard let outcome = TestSendResult(body: bytes) else { return }
        try hold(outcome.results.count <= TestSendResult.resultLimit, "the results are limited")
        for result in outcome.results {
            for text in [result.platform, result.registration, result.outcome] { try isLine(text, limit: 500) }
            try isLine(result.handle, limit: 4096)
        }
    }

    private static func page(_ bytes: [UInt8]) throws(Broken) {
        guard let page = RegistrationPage(body: bytes) else { return }
        try hold(page.installations.count + page.others <= page.count, "every registration counts once")
        try hold(Set(page.installations).count == page.installations.count, "each installation is listed once")
        try hold(page.installations.allSatisfy { !$0.isEmpty }, "an installation has an id")
    }

    private static func location(_ text: String) throws(Broken) {
        guard let id = NotificationID(location: text)?.text else { return }
        try hold((1...NotificationID.limit).contains(id.utf8.count), "an id has a length")
        try hold(id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "an id is one word")
        // Every signature holds a `=`, bare or escaped.
        try hold(id.utf8.allSatisfy { !"/%=&+;:\"".utf8.contains($0) }, "an id is not a token")
    }

    private static func date(_ text: String) throws(Broken) {
        guard let seconds = HTTPDate.seconds(text) else { return }
        try hold((0...253_402_300_800).contains(seconds), "a date is from 1970 to 9999")
        try hold(seconds == seconds.rounded(), "a date is whole seconds")
    }

    /// Lines: `retry-after-ms`, `x-ms-retry-after-ms`, `Retry-After`, `Date`; an empty one is absent.
    private static func wait(_ text: String) throws(Broken) {
        var lines = text.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false).map {
            $0.isEmpty ? nil : String($0)
        }
        lines += Array(repeating: nil, count: 4 - lines.count)
        let now = 1_767_225_600.0
        let wait = RetryAfter(
            milliseconds: lines[..<2].compactMap(\.self), plain: lines[2], date: lines[3], receivedAt: now)
        try fcmWait(lines[2], lines[3], now)
        try hold((wait == .absent) == lines[..<3].allSatisfy { $0 == nil }, "a request to wait is never lost")
        guard let seconds = wait.seconds else { return }
        try hold((0...RetryAfter.longest).contains(seconds), "a wait is at most an hour")
        let without = RetryAfter(
            milliseconds: lines[..<2].compactMap(\.self), plain: lines[2], date: nil, receivedAt: now)
        let isDate = lines[2].map { HTTPDate.seconds($0) != nil } ?? false
        try hold(isDate || without == wait, "only a date depends on the Date header")
    }

    /// Whatever it says, a hub is neither asked again at once nor left alone for long.
    private static func fcmWait(_ plain: String?, _ date: String?, _ now: Double) throws(Broken) {
        guard let fcm = try? FCM(project: "p", now: { now }) else { throw Broken(promise: "a project fits into a URL") }
        let headers = [("retry-after", plain), ("date", date)].compactMap { name, value in
            value.map { (name: name, value: $0) }
        }
        for status in [429, 503] {
            let response = Reply.Response(status: status, headers: headers)
            switch fcm.answer(to: Reply(id: 1, outcome: .answered(response), receivedAt: now)).verdict {
            case .throttled(let after, _, _): try hold((1...RetryAfter.longest).contains(after), "a wait has bounds")
            case .unavailable(let after, _):
                try hold((10...RetryAfter.longest).contains(after ?? 0), "a wait has bounds")
            default: throw Broken(promise: "\(status) asks to wait")
            }
        }
    }

    private static func line(_ text: String) throws(Broken) {
        for limit in [1, 100, 500] { try isLine(text.sanitised(limit: limit), limit: limit) }
        let tokens = [
            "SharedAccessSignature sr=h&sig=SECRET", "sig%3DSECRET", "SharedAccessKey=SECRET", "Bearer SECRET",
            "assertion=SECRET", "access_token=SECRET", "-----BEGIN PRIVATE KEY-----SECRET-----END PRIVATE KEY-----",
        ]
        let token = tokens[text.utf8.count % tokens.count]
        for quoted in ["\(token) \(text)", "\(text) \(token)", "\(text)\"\(token)\"\(text)"] {
            let hidden = quoted.sanitised(limit: 5000)
            try hold(text.contains("SECRET") || !hidden.contains("SECRET"), "a signature is never kept")
        }
    }

    /// The first line is a value of the request, the rest what the hub says around it.
    private static func sent(_ text: String) throws(Broken) {
        let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        // The mask itself, and what ends a value in JSON, cannot be told from the rest.
        let apart = "\"\\•".unicodeScalars
        let value = String(String.UnicodeScalarView(lines[0].unicodeScalars.filter { !apart.contains($0) }))
        let rest = lines.count > 1 ? String(lines[1]) : ""
        let inBody = SentValues(Reply.Sent(body: Array(#"{"message": "\#(value)"}"#.utf8)))
        for quoted in [rest + value + rest, value, "\(rest)\"\(value)\""] {
            let masked = inBody.masked(quoted)
            try hold(masked.utf8.count <= 9 * quoted.utf8.count, "a mask is no longer than nine bytes for one")
            guard value.utf8.count >= SentValues.part else { continue }
            try hold(!holds(masked, value), "a value of a body is never shown")
            try hold(!holds(inBody.masked(quoted.uppercased()), value), "nor in capitals")
        }
        let tag = value.filter { !" ()!".contains($0) }
        guard tag.utf8.count >= SentValues.part else { return }
        let inHeader = SentValues(Reply.Sent(headers: ["(other || \(tag))"]))
        try hold(!holds(inHeader.masked("\(rest) \(tag) \(rest)"), tag), "a tag is never shown")
    }

    private static func holds(_ text: String, _ value: String) -> Bool {
        func lower(_ text: String) -> [UInt8] { text.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 } }
        return lower(text).firstRange(of: lower(value)) != nil
    }

    private static func isLine(_ text: String, limit: Int) throws(Broken) {
        try hold(text.count <= limit, "a text has at most \(limit) characters")
        try hold(
            text.unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control && $0.value != 0x2028 && $0.value != 0x202E
            }, "a text is one line without control characters")
    }
}
