import PushModel

/// A content in eight languages, and a template of each for phones of four platforms.
enum Phones {
    static let words = [
        "en": "English", "fr": "French", "zh-Hans": "Mandarin", "de": "German", "ar": "Arabic", "ja": "Japanese",
        "es": "Spanish", "pt-BR": "Portuguese",
    ]

    static let hub: HubSettings = {
        var hub = HubSettings(name: "news")
        hub.languages = words
        hub.fallback = "en"
        return hub
    }()

    static let content = RunContent(
        id: 1, format: "template", fallback: "en",
        texts: words.mapValues { #"{"title":"\#($0) news for {{name|friend}}","body":"\#(text)"}"# })

    static let templates = DevicePlatform.allCases.prefix(4).flatMap { platform in
        words.values.sorted().map { word in PreviewTemplate(platform, "news-\(word)", body(of: platform, word)) }
    }

    private static func body(of platform: DevicePlatform, _ word: String) -> String {
        let (title, text) = ("$(title_\(word))", "$(body_\(word))")
        return switch platform {
        case .apns: #"{"aps":{"alert":{"title":"\#(title)","body":"\#(text)"}}}"#
        case .wns:
            "<toast><visual><binding template=\"ToastText02\"><text id=\"1\">\(title)</text>"
                + "<text id=\"2\">\(text)</text></binding></visual></toast>"
        default: #"{"data":{"title":"\#(title)","message":"\#(text)"}}"#
        }
    }

    private static let text = String(repeating: "World news for everyone. ", count: 6)
}
