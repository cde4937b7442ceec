import PushModel

/// A content as a backend might enqueue it: usual in most places, odd in some.
struct OddContent: Encodable, Sendable {
    struct Row: Encodable, Sendable {
        var locale: String?
        var content: String
    }

    var hub: String
    var tag = "World"
    var format = "template"
    var rows: [Row]

    /// Hubs of both kinds, with and without languages and fallback.
    static let hubs: [String: HubSettings] = {
        func hub(_ name: String, _ languages: [String], _ fallback: String?, _ tags: Bool = false) -> HubSettings {
            var hub = HubSettings(name: name)
            hub.languages = Dictionary(uniqueKeysWithValues: languages.map { ($0, "In" + $0.filter(\.isLetter)) })
            hub.fallback = fallback
            hub.localization = tags ? .tags : .properties
            return hub
        }
        let all = [
            hub("news", ["en", "fr", "zh-Hans"], "en"), hub("british", ["en", "en-GB", "fr"], "en"),
            hub("nofallback", ["en", "fr"], nil), hub("mute", [], nil), hub("tagged", ["en", "fr"], "en", true),
            hub("bare", [], nil, true),
        ]
        return Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    }()

    static let locales: [String?] = [
        nil, "en", "fr", "EN", "en-GB", "en-US", "fr-CA", "fr-CA-u-fw-mon-mu-celsius", "fr-x-formal", "zh-Hans", "zh",
        "zh-Hans-TW", "zh-Hant", "de", "en-GB-oed", "i-klingon", "x-mine", "fr-1994", "en-12", "fr-US-GB",
        "zh-Hans-Hant", "en-a1", "fr_CA", "", "fr-", "e", "fr-x", "français", " fr", "fr\n", "\u{212A}ok",
        "en-u" + String(repeating: "-abcdefgh", count: 10), "en-u" + String(repeating: "-abcdefgh", count: 11),
    ]

    private static let subtags = [
        "en", "fr", "zh", "a", "u", "x", "12", "US", "gb", "Hans", "Hant", "419", "1994", "abcde", "1a2b", "abcdefgh",
        "abcdefghi", "yue", "",
    ]

    private static let templates = [
        #"{"message": "hi", "url": "x"}"#, #"{"url": "x"}"#, "{}", #"{"message": 1}"#, #"{"message": null}"#, "[]",
        #""x""#, #"{"message": "\ud83d"}"#, #"{"message": "\ud83d\ude00"}"#,
        #"{"message": {"a": "b"}}"#,
        #"{"mess\u0061ge": "x"}"#, #"{"Message": "x"}"#, #"{"message_Infr": "x"}"#,
        #"{"\#(String(repeating: "n", count: 120))": "x"}"#, #"{"\#(String(repeating: "n", count: 121))": "x"}"#,
    ]

    private static let natives = [
        #"{"aps": {"alert": "hi"}}"#, #"{"aps": {}}"#, #"{"aps": 1}"#, "[]", nested(64), nested(65), nested(70),
        #"{"aps": {"badge": 1e400}}"#, #"{"aps": {"alert": "\udc00"}}"#,
    ]

    private static func nested(_ levels: Int) -> String {
        #"{"aps": {}, "a": "#
            + String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1) + "}"
    }

    private static let tags = [
        "a||b", "a||b||c||d||e||f", "a && b && c && d && e && f", "!a && b", "(((a)))", "a b", "", "a||", "$UserId:{u}",
    ]

    static func random(_ random: inout SeededRandom) -> OddContent {
        func locale() -> String? {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6: return ["en", "fr", "en", "fr-CA", nil].randomElement(using: &random) ?? nil
            case 6..<9: return locales.randomElement(using: &random) ?? nil
            default:
                return (0..<Int.random(in: 1...5, using: &random)).map { _ in subtags.randomElement(using: &random)! }
                    .joined(separator: "-")
            }
        }
        func isOdd() -> Bool { Int.random(in: 0..<8, using: &random) == 0 }
        var content = OddContent(hub: hubs.keys.sorted().randomElement(using: &random)!, rows: [])
        if isOdd() { content.tag = tags.randomElement(using: &random)! }
        if isOdd() { content.format = "apple" }
        let texts = content.format == "apple" ? natives : templates
        for _ in 0..<Int.random(in: 1...(content.format == "apple" ? 2 : 4), using: &random) {
            let usual = content.format == "apple" ? natives[0] : #"{"message": "hi"}"#
            content.rows.append(
                Row(locale: locale(), content: isOdd() ? texts.randomElement(using: &random)! : usual))
        }
        return content
    }

    /// What the planner would refuse if the rows were there as they are.
    var refusals: [Refusal] {
        let settings = Self.hubs[hub]!
        let isOne = settings.localization == .properties && rows.contains { $0.locale != nil }
        let messages = rows.enumerated().map { n, row in
            Message(
                id: Int64(n), lead: isOne ? 0 : nil, target: .tag(tag), locale: row.locale, content: row.content,
                format: format, expiresAt: .infinity)
        }
        return Plan(messages, for: settings, now: 0).refusals
    }

    /// What docs/enqueue.md names, and no INSERT looks for.
    static func isFoundLater(_ text: String) -> Bool {
        text.contains("once languages are added to the names") || text.contains(" is added to it, at most 120")
            || text.contains("the name has 121 characters")
    }
}
