import HubEmulator

/// One phone of the demo: whose it is, what it follows, and how its app asked to be shown a push.
struct DemoPhone: Sendable {
    /// The installation, for `/_emulator/devices/<id>/inbox`.
    let id: String
    let owner: String
    let language: DemoLanguage
    let platform: Installation.Platform
    let follows: [String]

    /// In each row the same interests in three languages.
    static let all = [
        DemoPhone("alice", "Alice", .english, .apns, ["World", "Politics"]),
        DemoPhone("chloe", "Chloé", .french, .fcmV1, ["World", "Politics"]),
        DemoPhone("lina", "李娜", .mandarin, .apns, ["World", "Politics"]),
        DemoPhone("ben", "Ben", .english, .fcmV1, ["Business", "Technology"]),
        DemoPhone("louis", "Louis", .french, .apns, ["Business", "Technology"]),
        DemoPhone("wangwei", "王伟", .mandarin, .fcmV1, ["Business", "Technology"]),
        DemoPhone("grace", "Grace", .english, .apns, ["Science", "Sports"]),
        DemoPhone("ines", "Inès", .french, .fcmV1, ["Science", "Sports"]),
        DemoPhone("chenjing", "陈静", .mandarin, .apns, ["Science", "Sports"]),
    ]

    private init(
        _ id: String, _ owner: String, _ language: DemoLanguage, _ platform: Installation.Platform, _ follows: [String]
    ) {
        self.id = id
        self.owner = owner
        self.language = language
        self.platform = platform
        self.follows = follows
    }

    var system: String { platform == .apns ? "iPhone" : "Android" }

    /// What the app registered: the phone's own language picks the properties.
    var template: String {
        let alert = #"{"title":"$(title_\#(language.word))","body":"$(News_\#(language.word))"}"#
        return platform == .apns ? #"{"aps":{"alert":\#(alert)}}"# : #"{"message":{"notification":\#(alert)}}"#
    }

    var installation: Installation {
        // An APNs token is hex digits; any text will do for FCM.
        let channel = PushChannel.handle(id.utf8.map { String($0, radix: 16) }.joined())
        return Installation(
            id, platform: platform, pushChannel: channel, tags: follows, templates: ["news": template])
    }

    /// What it must show of these stories, in their order.
    func expected(_ stories: [DemoScript]) -> [DemoText] {
        stories.filter { !Set($0.tags).isDisjoint(with: follows) }.map { $0.text(in: language) }
    }
}
