import Foundation

@testable import PushModel

/// What must hold for everything a row can say, also where the table has lost its rules: run over the corpus by the tests,
/// and over what libFuzzer makes up by the package Fuzzing.
enum RowCheck: String, CaseIterable, Sendable {
    case content, native, headers, tag, locale

    /// A promise that did not hold.
    struct Broken: Error {
        let promise: String
    }

    func run(_ bytes: [UInt8]) throws(Broken) {
        let text = String(decoding: bytes, as: UTF8.self)
        switch self {
        case .content: try Self.content(bytes)
        case .native: try Self.native(bytes)
        case .headers: try Self.headers(bytes)
        case .tag: try Self.tag(text)
        case .locale: try Self.locale(text)
        }
    }

    private static func hold(_ condition: Bool, _ promise: @autoclosure () -> String) throws(Broken) {
        if !condition { throw Broken(promise: promise()) }
    }

    /// Translations of one content, one in each line.
    private static func content(_ bytes: [UInt8]) throws(Broken) {
        let lines = bytes.split(separator: 10, maxSplits: 3, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        for line in lines { try flatObject(line) }
        let locales: [String?] = ["en", "fr-CA", nil, "zh"]
        let rows = zip(lines, locales).enumerated().map { index, row in
            message(Int64(index + 1), .tag("World"), locale: row.1, content: row.0)
        }
        for post in try plan(rows, hub()).posts {
            try hold(json(post.body) is [String: String], "a template's body is a flat object of strings")
            try flatObject(String(decoding: post.body, as: UTF8.self))
        }
    }

    private static func flatObject(_ text: String) throws(Broken) {
        let object: StringObject
        do throws(FlatObjectError) {
            object = try StringObject(text)
        } catch {
            return try hold((1...text.unicodeScalars.count + 1).contains(error.position), "the error is in the text")
        }
        try hold(json(object.bytes) is [String: String], "what is taken is JSON")
        for (name, value) in object.pairs { try hold(object[name] == value, "a value is found by its name") }
        var writer = StringObjectWriter()
        for (name, value) in object.pairs { writer.append(name, value) }
        // The loss is meant: that it parses again is the promise.
        let again = try? StringObject(String(decoding: writer.finish(), as: UTF8.self))
        try hold(again?.names == object.names, "written again, the names are the same")
        try hold(again?.pairs.map(\.value) == object.pairs.map(\.value), "written again, the values are the same")
    }

    private static let formats = [
        "apple", "fcmv1", "windows", "adm", "browser", "baidu", "xiaomi", "template", "other",
    ]

    /// The first byte chooses the format, with 0x80 for handles; the first line holds headers, the rest is the content.
    private static func native(_ bytes: [UInt8]) throws(Broken) {
        let end = bytes.firstIndex(of: 10) ?? bytes.endIndex
        let headers = String(decoding: bytes[..<end].dropFirst(), as: UTF8.self)
        try single(
            bytes.first, headers: headers.isEmpty ? nil : headers,
            content: String(decoding: bytes[end...].dropFirst(), as: UTF8.self))
    }

    /// The first byte chooses the format, with 0x80 for handles; the rest are headers for a content that is sound.
    private static func headers(_ bytes: [UInt8]) throws(Broken) {
        try single(bytes.first, headers: String(decoding: bytes.dropFirst(), as: UTF8.self), content: nil)
    }

    private static func single(_ first: UInt8?, headers: String?, content: String?) throws(Broken) {
        let format = formats[Int(first ?? 0) & 0x7F % formats.count]
        let sound = [
            "apple": #"{"aps":{"alert":"x"}}"#, "fcmv1": #"{"message":{"data":{}}}"#, "windows": #""<toast/>""#,
            "adm": #"{"data":{}}"#,
        ]
        let target: Target = (first ?? 0) & 0x80 == 0 ? .tag("World") : .handles(["a"])
        let row = message(
            1, target, content: content ?? sound[format] ?? "{}", format: format, headers: headers)
        for post in try plan([row], hub()).posts {
            try hold(format != "other", "an unknown format never leaves")
            if format == "windows" { continue }
            // 9e999 is JSON all the same, but no Double, and that is what Foundation reads.
            let isObject =
                json(post.body) is [String: Any]
                || String(decoding: post.body, as: UTF8.self).contains(/[0-9][eE][+-]?[0-9]{3}|[0-9]{300}/)
            try hold(isObject, "a payload is a JSON object")
        }
    }

    /// As a tag with a locale, and packed with others.
    private static func tag(_ text: String) throws(Broken) {
        // The loss is meant: most texts are no expression.
        let asked = try? TagExpression(text)
        var byTag = hub()
        byTag.localization = .tags
        for post in try plan([message(1, .tag(text), locale: "fr")], byTag).posts {
            try reaches(post, asked, and: "locale_fr")
        }
        let alone = try plan([message(1, .tag(text))], hub()).posts
        try hold(alone.isEmpty == (asked == nil), "what is an expression can leave, and nothing else")
        for post in alone { try reaches(post, asked, and: nil) }
        let rows = [message(1, .tag("a")), message(2, .tag(text)), message(3, .tag("b"))]
        for post in try plan(rows, hub()).posts where post.messages.contains(2) {
            guard let asked, let sent = expression(of: post) else {
                throw Broken(promise: "what leaves is an expression")
            }
            for device in devices(of: asked) where asked.matches(folded: device) {
                try hold(sent.matches(folded: device), "who is meant is reached, packed or not")
            }
        }
    }

    private static func reaches(_ post: Post, _ asked: TagExpression?, and tag: String?) throws(Broken) {
        guard let asked, let sent = expression(of: post) else { throw Broken(promise: "what leaves is an expression") }
        for device in devices(of: asked) {
            try hold(!sent.matches(folded: device) || asked.matches(folded: device), "nobody else is reached")
            let told = tag.map { device.union([$0]) } ?? device
            // An expression may name the locale itself, and so differ with it.
            try hold(sent.matches(folded: told) == asked.matches(folded: told), "who is meant is reached")
        }
    }

    private static func expression(of post: Post) -> TagExpression? {
        guard case .tag(let text) = post.target else { return nil }
        return try? TagExpression(text)  // nil is what the caller asks about
    }

    private static func devices(of expression: TagExpression) -> [Set<String>] {
        let all = Set(expression.description.lowercased().split { " ()&|!".contains($0) }.map(String.init))
        return [[], all] + all.map { [$0] } + all.map { all.subtracting([$0]) }
    }

    private static func locale(_ text: String) throws(Broken) {
        _ = try plan([message(1, .tag("World"), locale: text)], hub())
        // The loss is meant: most texts are no locale.
        guard let locale = try? LocaleTag(text) else { return }
        try hold(locale.text.lowercased() == text.lowercased(), "only letters' case changes")
        try hold((try? LocaleTag(locale.text)) == locale, "what is printed parses to the same")
        try hold(Tag.isPlain(locale.tag), "its tag is one")
        let chain = locale.chain
        try hold(chain.first == locale && Set(chain).count == chain.count, "the chain begins here and has no ring")
        try hold(chain.allSatisfy { locale.text.hasPrefix($0.text) }, "what is less special is a part of it")
    }

    private static func hub() -> HubSettings {
        var hub = HubSettings(name: "news")
        hub.languages = ["en": "English", "fr": "French", "zh-Hans": "Mandarin"]
        hub.fallback = "en"
        return hub
    }

    private static func message(
        _ id: Int64, _ target: Target, locale: String? = nil, content: String = #"{"t":"x"}"#,
        format: String = "template", headers: String? = nil
    ) -> Message {
        Message(
            id: id, lead: locale == nil ? id : 1, target: target, locale: locale, content: content, format: format,
            headers: headers, expiresAt: .infinity)
    }

    /// Plans, and looks at what holds for every plan.
    private static func plan(_ messages: [Message], _ hub: HubSettings) throws(Broken) -> Plan {
        let plan = Plan(messages, for: hub, now: 0)
        let told = plan.posts.flatMap(\.messages) + plan.refusals.map(\.message)
        try hold(told.sorted() == messages.map(\.id).sorted(), "every message is in one post or in one refusal")
        for refusal in plan.refusals {
            try hold(!refusal.text.isEmpty, "a refusal has its reason")
            try hold(refusal.text.utf8.count <= 10_000, "a reason has an end")
            try hold(!refusal.text.unicodeScalars.contains(where: \.isObeyed), "a reason is a line no terminal obeys")
        }
        for post in plan.posts {
            try hold(post.body.count <= Post.bodyLimit, "a body fits into a request")
            try hold(post.target != .broadcast, "nobody reaches everybody")
            if case .tag(let tag) = post.target {
                try hold(tag.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !tag.isEmpty, "a tag is visible ASCII")
            }
            try check(post.headers)
        }
        return plan
    }

    private static func check(_ headers: [Post.Header]) throws(Broken) {
        try hold(headers.count <= ProviderHeaders.countLimit + 1, "there is an end to the headers")
        let names = headers.map { $0.name.lowercased() }
        try hold(Set(names).count == names.count, "no header stands twice")
        for (name, value) in zip(names, headers.map(\.value)) {
            let isKnown =
                ["apns-", "x-"].contains(where: name.hasPrefix)
                || ["auth", "p256dh", "servicebusnotification-apns-expiry"].contains(name)
            try hold(isKnown, "no header but a platform's own")
            try hold(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }, "a name is a token")
            try hold(value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "a value is visible ASCII and spaces")
        }
    }

    private static func json(_ bytes: [UInt8]) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)  // nil: it is none
    }
}
