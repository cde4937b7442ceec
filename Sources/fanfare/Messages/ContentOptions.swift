import CommandLineTool
import ArgumentParser
import PushModel

/// What a message says, in which languages, and in which form: the same options wherever a message is made.
struct ContentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The content: one flat JSON object of strings, or the payload of a native --format. @FILE reads a file.",
            valueName: "json"))
    var content: String?

    @Option(
        name: .customLong("property"),
        help: ArgumentHelp("One property of the content, instead of --content. Repeatable.", valueName: "name=text"))
    var properties: [KeyValue] = []

    @Option(help: "BCP 47 language of the content, such as fr or zh-Hans. Default: it has none.") var locale: String?

    @Option(
        name: .customLong("translation"),
        help: ArgumentHelp(
            "The content in another language, as one flat JSON object or @FILE. Repeatable.", valueName: "locale=json"))
    var translations: [KeyValue] = []

    @Option(help: "The payload's platform; template: the content's properties fill each device's own template.")
    var format: ContentFormat = .template

    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            "A header for the platform, such as apns-priority=5 or X-WNS-Type=wns/badge. Repeatable.",
            valueName: "name=value"))
    var headers: [KeyValue] = []

    /// The options that were given.
    var given: [(name: String, isGiven: Bool)] {
        [
            ("--content", content != nil), ("--property", !properties.isEmpty), ("--locale", locale != nil),
            ("--translation", !translations.isEmpty), ("--format", format != .template), ("--header", !headers.isEmpty),
        ]
    }

    /// - Throws: `ValidationError` when the options do not make a content.
    func check() throws {
        if content != nil && !properties.isEmpty { throw ValidationError("Give either --content or --property.") }
        let hasContent = content != nil || !properties.isEmpty
        if !hasContent && translations.isEmpty {
            throw ValidationError("Give the content: --content, --property or --translation.")
        }
        if !hasContent && locale != nil { throw ValidationError("--locale goes with --content or --property.") }
        if format != .template && !properties.isEmpty {
            throw ValidationError("--property makes a template's content; give the \(format) payload with --content.")
        }
        try Self.checkNames(properties, "--property")
        try Self.checkNames(headers, "--header")
    }

    private static func checkNames(_ pairs: [KeyValue], _ option: String) throws {
        var seen: Set<String> = []
        // Neither templates nor headers know case.
        if let twice = pairs.first(where: { !seen.insert($0.key.lowercased()).inserted }) {
            throw ValidationError("\(option) \(twice.key) is given twice.")
        }
    }

    /// One content in one language, as JSON text.
    struct Text {
        var json: String
        var locale: String?
    }

    /// The content, then its translations.
    ///
    /// - Throws: `Failure` when a content is invalid, or its file cannot be read.
    func texts() throws(Failure) -> [Text] {
        var texts: [Text] = []
        if let content {
            texts.append(Text(json: try read(content, from: "--content"), locale: locale))
        } else if !properties.isEmpty {
            let members = Dictionary(properties.map { ($0.key, JSONOutput.text($0.value)) }) { $1 }
            texts.append(Text(json: try read(JSONOutput.object(members).document, from: "--property"), locale: locale))
        }
        for translation in translations {
            let json = try read(translation.value, from: "--translation \(translation.key)")
            texts.append(Text(json: json, locale: translation.key))
        }
        return texts
    }

    /// The headers as the column holds them; nil: none.
    var headersJSON: String? {
        guard !headers.isEmpty else { return nil }
        return JSONOutput.object(Dictionary(headers.map { ($0.key, JSONOutput.text($0.value)) }) { $1 }).document
    }

    private func read(_ value: String, from option: String) throws(Failure) -> String {
        let path = value.hasPrefix("@") ? String(value.dropFirst()) : nil
        let text = try path.map(InputFile.text) ?? value
        let hint = format == .template ? #"A content looks like {"title": "Hello", "badge": "3"}."# : nil
        if format != .windows {
            try InputFile.checkJSON(text, of: path.map(InputFile.name) ?? option, hint: hint)
        }
        guard format == .template else { return format.json(of: text) }
        _ = try Failure.wrapping(option, hint: Self.formatHint(for: text) ?? hint) { try StringObject(text) }
        return text
    }

    /// For a payload that is a platform's own; nil: it is none that is known.
    static func formatHint(for text: String) -> String? {
        // Text that is no JSON has a complaint of its own.
        guard let root = try? JSONNode(Array(text.utf8)).value else { return nil }
        let formats = [("message", "fcmv1"), ("aps", "apple")]
        let format = formats.first { name, _ in if case .object = root[name] { true } else { false } }?.1
        return format.map { "A payload with \"\($0 == "apple" ? "aps" : "message")\" needs --format \($0)." }
    }
}

/// A value of `push.message.format`: one of those that some kind of hub takes.
struct ContentFormat: ExpressibleByArgument, Equatable, CustomStringConvertible {
    static let template = ContentFormat("template")
    static let windows = ContentFormat("windows")

    static let allValueStrings = HubKind.allCases.flatMap(\.facts.formats).reduce(into: [String]()) { all, name in
        if !all.contains(name) { all.append(name) }
    }

    let rawValue: String

    private init(_ name: String) { rawValue = name }

    init?(rawValue name: String) {
        guard Self.allValueStrings.contains(name) else { return nil }
        self.init(name)
    }

    init?(argument: String) { self.init(rawValue: argument) }

    var description: String { rawValue }

    /// The payload as the column holds it. What Windows takes is XML or any text: it stands there as a JSON string, and
    /// nobody wants to write one by hand.
    func json(of payload: String) -> String {
        guard self == .windows, payload.first(where: { !$0.isWhitespace }) != "\"" else { return payload }
        return JSONOutput.text(payload).document
    }
}
