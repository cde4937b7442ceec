@testable import Providers

/// What must hold for everything a hub can answer, whatever bytes it sends: run over seeds and what is made of them by
/// `AnswerParserTests`, and over what libFuzzer makes up by the package Fuzzing.
enum AnswerCheck: String, CaseIterable, Sendable {
    case error, outcome, page, location, date, line

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
        case .line: try Self.line(text)
        }
    }

    private static func hold(_ condition: Bool, _ promise: @autoclosure () -> String) throws(Broken) {
        if !condition { throw Broken(promise: promise()) }
    }

    private static func error(_ bytes: [UInt8]) throws(Broken) {
        let error = HubError(body: bytes)
        for text in [error.code, error.detail, error.tracking ?? "", error.timestamp ?? "", error.name ?? ""] {
            // A broken byte becomes U+FFFD, which has three.
            try hold(text.utf8.count <= 3 * bytes.count, "nothing comes from nowhere")
        }
        try hold(error.subcode?.utf8.allSatisfy { (48...57).contains($0) } ?? true, "a subcode is digits")
        let isName = error.name?.utf8.allSatisfy { (65...90).contains($0 & 0xDF) } ?? true
        try hold(isName, "a name is letters")
    }

    private static func outcome(_ bytes: [UInt8]) throws(Broken) {
        guard let outcome = TestOutcome(body: bytes) else { return }
        try hold(outcome.results.count <= TestOutcome.resultLimit, "there is an end to the results")
        for result in outcome.results {
            for text in [result.platform, result.registration, result.outcome] { try isLine(text, limit: 500) }
            try isLine(result.handle, limit: 4096)
        }
    }

    private static func page(_ bytes: [UInt8]) throws(Broken) {
        guard let page = RegistrationPage(body: bytes) else { return }
        try hold(page.installations.count + page.others <= page.count, "every registration counts once")
        try hold(Set(page.installations).count == page.installations.count, "each installation stands once")
        try hold(page.installations.allSatisfy { !$0.isEmpty }, "an installation has an id")
    }

    private static func location(_ text: String) throws(Broken) {
        guard let id = NotificationID(location: text)?.text else { return }
        try hold((1...NotificationID.limit).contains(id.utf8.count), "an id has a length")
        try hold(id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }, "an id is one word")
    }

    private static func date(_ text: String) throws(Broken) {
        guard let seconds = HTTPDate.seconds(text) else { return }
        try hold((0...253_402_300_800).contains(seconds), "a date is from 1970 to 9999")
        try hold(seconds == seconds.rounded(), "a date is whole seconds")
    }

    private static func line(_ text: String) throws(Broken) {
        for limit in [1, 100, 500] { try isLine(OperatorText.line(text, limit: limit), limit: limit) }
        let hidden = OperatorText.line("SharedAccessSignature sr=h&sig=abc " + text)
        try hold(!hidden.contains("sig=abc"), "a signature is never kept")
    }

    private static func isLine(_ text: String, limit: Int) throws(Broken) {
        try hold(text.count <= limit, "a text has at most \(limit) characters")
        try hold(
            text.unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control && $0.value != 0x2028 && $0.value != 0x202E
            }, "a text is one line that no terminal obeys")
    }
}
