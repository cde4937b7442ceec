import Foundation

@testable import PushModel

/// Checks that hold for every row, even one that the table's constraints would refuse. `RowCheckTests` runs them over
/// the corpus, bin/fuzz over inputs of libFuzzer.
enum RowCheck: String, CaseIterable, Sendable {
    case content, native, headers, tag, locale, learned

    /// A check that failed.
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
        case .learned: try Self.learned(bytes)
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
        do throws(StringObjectError) {
            object = try StringObject(text)
        } catch {
            return try hold((1...text.unicodeScalars.count + 1).contains(error.position), "the error is in the text")
        }
        try hold(json(object.bytes) is [String: String], "an accepted text is JSON")
        for (name, value) in object.pairs { try hold(object[name] == value, "a value is found by its name") }
        var writer = StringObjectWriter()
        for (name, value) in object.pairs { writer.append(name, value) }
        // nil fails the check below.
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

    /// The first byte chooses the format, with 0x80 for handles; the rest is the headers of a valid content.
    private static func headers(_ bytes: [UInt8]) throws(Broken) {
        try single(bytes.first, headers: String(decoding: bytes.dropFirst(), as: UTF8.self), content: nil)
    }

    private static func single(_ first: UInt8?, headers: String?, content: String?) throws(Broken) {
        let format = formats[Int(first ?? 0) & 0x7F % formats.count]
        let valid = [
            "apple": #"{"aps":{"alert":"x"}}"#, "fcmv1": #"{"message":{"data":{}}}"#, "windows": #""<toast/>""#,
            "adm": #"{"data":{}}"#,
        ]
        let target: Target = (first ?? 0) & 0x80 == 0 ? .tag("World") : .handles(["a"])
        let row = message(
            1, target, content: content ?? valid[format] ?? "{}", format: format, headers: headers)
        for post in try plan([row], hub()).posts {
            try hold(format != "other", "an unknown format never leaves")
            if format == "windows" { continue }
            // 9e999 is valid JSON, but Foundation reads numbers as Double.
            let isObject =
                json(post.body) is [String: Any]
                || String(decoding: post.body, as: UTF8.self).contains(/[0-9][eE][+-]?[0-9]{3}|[0-9]{300}/)
            try hold(isObject, "a payload is a JSON object")
        }
    }

    /// As a tag with a locale, and packed with others.
    private static func tag(_ text: String) throws(Broken) {
        // Most texts are not expressions.
        let asked = try? TagExpression(text)
        var byTag = hub()
        byTag.localization = .tags
        for post in try plan([message(1, .tag(text), locale: "fr")], byTag).posts {
            try reaches(post, asked, and: "locale_fr")
        }
        let alone = try plan([message(1, .tag(text))], hub()).posts
        try hold(alone.isEmpty == (asked == nil), "exactly the valid expressions are sent")
        for post in alone { try reaches(post, asked, and: nil) }
        let rows = [message(1, .tag("a")), message(2, .tag(text)), message(3, .tag("b"))]
        for post in try plan(rows, hub()).posts where post.messages.contains(2) {
            guard let asked, let sent = expression(of: post) else {
                throw Broken(promise: "the target is an expression")
            }
            for device in devices(of: asked) where asked.matches(folded: device) {
                try hold(sent.matches(folded: device), "every matching device is reached, packed or not")
            }
        }
    }

    private static func reaches(_ post: Post, _ asked: TagExpression?, and tag: String?) throws(Broken) {
        guard let asked, let sent = expression(of: post) else { throw Broken(promise: "the target is an expression") }
        for device in devices(of: asked) {
            try hold(!sent.matches(folded: device) || asked.matches(folded: device), "no other device is reached")
            let matched = tag.map { device.union([$0]) } ?? device
            // The expression itself may contain the locale's tag.
            try hold(
                sent.matches(folded: matched) == asked.matches(folded: matched), "every matching device is reached")
        }
    }

    private static func expression(of post: Post) -> TagExpression? {
        guard case .tag(let text) = post.target else { return nil }
        return try? TagExpression(text)  // the caller checks for nil
    }

    private static func devices(of expression: TagExpression) -> [Set<String>] {
        let all = Set(expression.description.lowercased().split { " ()&|!".contains($0) }.map(String.init))
        return [[], all] + all.map { [$0] } + all.map { all.subtracting([$0]) }
    }

    private static func locale(_ text: String) throws(Broken) {
        _ = try plan([message(1, .tag("World"), locale: text)], hub())
        // Most texts are not locales.
        guard let locale = try? LocaleTag(text) else { return }
        try hold(locale.text.lowercased() == text.lowercased(), "only the case of letters changes")
        try hold((try? LocaleTag(locale.text)) == locale, "the text parses to the same locale")
        try hold(Tag.isPlain(locale.tag), "its tag is valid")
        let chain = locale.chain
        try hold(
            chain.first == locale && Set(chain).count == chain.count,
            "the chain begins with the locale and repeats nothing")
        try hold(chain.allSatisfy { locale.text.hasPrefix($0.text) }, "every less specific locale is a prefix")
    }

    /// A line of an export, from which templates are learned.
    private static func learned(_ bytes: [UInt8]) throws(Broken) {
        let templates: [PlatformTemplate]
        do throws(InvalidTemplate) {
            templates = try PlatformTemplate.templates(ofInstallation: bytes)
        } catch {
            try hold(error.description.utf8.count <= 1_000, "a reason is short")
            return try hold(
                !error.description.unicodeScalars.contains(where: \.isTerminalControl),
                "a reason is one line without terminal controls")
        }
        for template in templates {
            try hold(PlatformTemplate.platforms.contains(template.platform), "a platform is spelt as the service does")
            try hold((1...200).contains(template.name.unicodeScalars.count), "a name has 1 to 200 characters")
            try hold((1...65_536).contains(template.body.utf8.count), "a body is not empty and fits into a request")
            let texts = [template.name, template.body, template.expiry ?? "", template.headersJSON ?? ""]
            try hold(!texts.contains { $0.utf8.contains(0) }, "PostgreSQL holds every text")
            // nil fails the check.
            let again = try? PlatformTemplate(
                checking: template.body, platform: template.platform, name: template.name)
            try hold(again?.body.utf8.elementsEqual(template.body.utf8) == true, "a normal form stays as it is")
            if let json = template.headersJSON {
                try hold((try? StringObject(json)) != nil, "headers are an object of texts")
            }
        }
        var census = TemplateCensus()
        census.add(templates, at: 0)
        try hold(census.found().count <= templates.count, "each template is counted once")
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

    /// Plans the messages and checks what holds for every plan.
    private static func plan(_ messages: [Message], _ hub: HubSettings) throws(Broken) -> Plan {
        let plan = Plan(messages, for: hub, now: 0)
        let settled = plan.posts.flatMap(\.messages) + plan.refusals.map(\.message)
        try hold(settled.sorted() == messages.map(\.id).sorted(), "every message is in one post or in one refusal")
        for refusal in plan.refusals {
            try hold(!refusal.text.isEmpty, "a refusal has its reason")
            try hold(refusal.text.utf8.count <= 10_000, "a reason is short")
            try hold(
                !refusal.text.unicodeScalars.contains(where: \.isTerminalControl),
                "a reason is one line without terminal controls")
        }
        for post in plan.posts {
            try hold(post.body.count <= HubKind.notificationHubs.facts.bodyBytes, "a body fits into a request")
            try hold(post.target != .broadcast, "no post is a broadcast")
            if case .tag(let tag) = post.target {
                try hold(tag.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !tag.isEmpty, "a tag is visible ASCII")
            }
            try check(post.headers)
        }
        return plan
    }

    private static func check(_ headers: [Post.Header]) throws(Broken) {
        try hold(headers.count <= 33, "the number of headers is limited")
        let names = headers.map { $0.name.lowercased() }
        try hold(Set(names).count == names.count, "no header appears twice")
        for (name, value) in zip(names, headers.map(\.value)) {
            let isKnown =
                ["apns-", "x-"].contains(where: name.hasPrefix)
                || ["auth", "p256dh", "servicebusnotification-apns-expiry"].contains(name)
            try hold(isKnown, "every header belongs to a platform")
            try hold(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }, "a name is a token")
            try hold(value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "a value is visible ASCII and spaces")
        }
    }

    private static func json(_ bytes: [UInt8]) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)  // nil: not JSON
    }
}
