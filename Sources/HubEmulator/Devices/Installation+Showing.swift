import Foundation

extension Installation {
    /// A device as most apps register one, with a handle made from its id, and the template `shows` if it shows anything.
    ///
    /// - Parameters:
    ///   - handle: nil: made from the id.
    ///   - properties: of the messages: the text; or two, title and text. Empty: no such template.
    ///   - templates: further ones: their bodies by name.
    package init(
        _ id: String, platform: Platform, handle: String? = nil, user: String? = nil, tags: [String] = [],
        showing properties: [String] = [], templates: [String: String] = [:]
    ) {
        let hex = id.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let text = handle ?? (platform == .apns ? hex : platform == .wns ? "https://wns.example/\(hex)" : id)
        let channel: PushChannel =
            platform == .browser ? .browser(endpoint: text, p256dh: "key", auth: "auth") : .handle(text)
        var bodies = templates
        if !properties.isEmpty { bodies["shows"] = Self.template(showing: properties, on: platform) }
        self.init(id, platform: platform, pushChannel: channel, user: user, tags: tags, templates: bodies)
    }

    private static func template(showing properties: [String], on platform: Platform) -> String {
        let parts = properties.prefix(2).map { "$(\($0))" }
        let text = parts.count > 1 ? ["title": parts[0], "body": parts[1]] : ["body": parts.joined()]
        let whole: [String: Any] =
            switch platform {
            case .apns: ["aps": ["alert": parts.count > 1 ? text as Any : parts.joined() as Any]]
            case .fcmV1: ["message": ["notification": text]]
            case .gcm: ["notification": text]
            case .adm: ["data": text]
            case .wns, .mpns, .baidu, .browser, .xiaomi: text
            }
        // Dictionaries of strings always serialise.
        let bytes = try? JSONSerialization.data(
            withJSONObject: whole, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: bytes ?? Data("{}".utf8), as: UTF8.self)
    }
}
