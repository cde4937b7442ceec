import PushModel

/// A claim of 1,000 rows, and how many posts it makes.
struct Shape {
    let name: String
    let hub: HubSettings
    let claim: [Message]
    let posts: Int

    static let all = [single, packed, languages]

    /// Each row has a text of its own.
    private static let single = Shape(name: "single", hub: hub(), posts: 1_000) { row in
        message(row, tag: "user_\(row)", #"{"title":"Order \#(row)","body":"\#(text)"}"#)
    }
    /// All rows say the same, each to a tag of its own: 20 a post.
    private static let packed = Shape(name: "packed", hub: hub(), posts: 50) { row in
        message(row, tag: "user_\(row)", #"{"title":"Breaking news","body":"\#(text)"}"#)
    }
    /// Four rows a text, one in each language.
    private static let languages = Shape(name: "languages", hub: hub(), posts: 250) { row in
        let locale = ["en", "fr", "zh-Hans", "de"][row % 4]
        return message(
            row, lead: row - row % 4, tag: "user_\(row / 4)", locale: locale,
            #"{"title":"Order \#(row / 4)","body":"\#(text) \#(locale)"}"#)
    }

    private init(name: String, hub: HubSettings, posts: Int, row: (Int) -> Message) {
        self.name = name
        self.hub = hub
        self.posts = posts
        claim = (0..<1_000).map(row)
    }

    private static func hub() -> HubSettings {
        var hub = HubSettings(name: "news")
        hub.languages = ["en": "English", "fr": "French", "zh-Hans": "Mandarin", "de": "German"]
        hub.fallback = "en"
        return hub
    }

    private static func message(
        _ row: Int, lead: Int? = nil, tag: String, locale: String? = nil, _ content: String
    ) -> Message {
        Message(
            id: Int64(row), lead: lead.map(Int64.init), target: .tag(tag), locale: locale, content: content,
            expiresAt: 86_400)
    }

    private static let text = String(repeating: "World news in English. ", count: 7)
}
