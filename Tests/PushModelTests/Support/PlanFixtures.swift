import Foundation

@testable import PushModel

extension Message {
    /// A message to `World` that does not expire.
    static func of(
        _ id: Int64, lead: Int64? = nil, tag: String = "World", locale: String? = nil, content: String = #"{"t":"x"}"#,
        format: String = "template", headers: String? = nil, expiresAt: Double = .infinity,
        attempt: Int16 = 0, onDoubt: OnDoubt? = nil, pack: Bool = true
    ) -> Message {
        Message(
            id: id, lead: lead, attempt: attempt, target: .tag(tag), locale: locale, content: content, format: format,
            headers: headers, expiresAt: expiresAt, onDoubt: onDoubt, pack: pack)
    }

    /// A message for handles, by default in Apple's format.
    static func of(
        _ id: Int64, handles: [String], content: String = #"{"aps":{"alert":"x"}}"#, format: String = "apple",
        headers: String? = nil, pack: Bool = true
    ) -> Message {
        Message(
            id: id, target: .handles(handles), content: content, format: format, headers: headers, expiresAt: .infinity,
            pack: pack)
    }
}

extension HubSettings {
    /// Three languages, English as the fallback.
    static let news = {
        var hub = HubSettings(name: "news")
        hub.languages = ["en": "English", "fr": "French", "zh-Hans": "Mandarin"]
        hub.fallback = "en"
        return hub
    }()
}

extension Post {
    /// The decoded body; empty when it is not a flat object of strings, which no test expects.
    var json: [String: String] { (try? JSONDecoder().decode([String: String].self, from: Data(body))) ?? [:] }
}

extension Plan {
    /// The body of the only post.
    var text: String? { posts.count == 1 ? String(decoding: posts[0].body, as: UTF8.self) : nil }
    var body: [String: String] { posts.count == 1 ? posts[0].json : [:] }
}
