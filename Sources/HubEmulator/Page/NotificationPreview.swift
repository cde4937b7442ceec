import Foundation

/// A notification as a phone puts it on its screen, read out of a finished payload.
///
/// Broader than `AlertText`, which judges whether a template came out empty: this is for looking at, and finds something to
/// show in a payload of any platform.
public struct NotificationPreview: Sendable, Equatable, Codable {
    public var title: String?
    public var subtitle: String?
    public var body: String?
    /// The number on the app's icon.
    public var badge: String?
    public var sound: String?
    /// What the app calls its group of buttons (APNs `category`, FCM `click_action` and `channel_id`), and the buttons
    /// themselves where the payload spells them out (WNS).
    public var category: String?
    public var actions: [String] = []
    /// APNs `interruption-level`, FCM `priority`.
    public var level: String?
    /// Nothing is shown: the app is woken to look at the data.
    public var isSilent = false

    init() {}

    /// - Parameter platform: nil: not known; the payload says enough in most cases.
    init(_ payload: String, platform: Installation.Platform? = nil) {
        if payload.first(where: { !$0.isWhitespace }) == "<" {
            read(markup: XMLLookup(payload))
        } else if let parsed = try? JSONSerialization.jsonObject(with: Data(payload.utf8)),
            let object = parsed as? [String: Any]
        {
            read(object)
        } else {
            // A raw push is whatever the app makes of it; it is shown as it is.
            body = String(payload.prefix(500))
        }
        if !isSilent, [title, subtitle, body].allSatisfy({ $0 == nil }), badge != nil || sound != nil {
            isSilent = true
        }
    }

    /// There is a place for text and nothing in it: an empty bubble, or nothing at all.
    public var isEmpty: Bool { !isSilent && [title, subtitle, body].allSatisfy { ($0 ?? "").isBlank } }

    private mutating func read(_ object: [String: Any]) {
        if object["aps"] != nil {
            read(aps: object["aps"] as? [String: Any] ?? [:])
        } else if let message = object["message"] as? [String: Any] {
            read(message: message)
        } else if object["notification"] != nil || object["data"] != nil {
            read(message: object)
        } else {
            // Baidu and Xiaomi name it description; web push is free in its form, and most use these names.
            title = Self.text(object["title"])
            body = Self.text(object["body"] ?? object["description"] ?? object["message"])
            if title == nil, body == nil { isSilent = true }
        }
    }

    /// A text or a number as text; nil for anything else.
    static func text(_ value: Any?) -> String? {
        switch value {
        case let text as String: text
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }

    /// What the phone would look up in the app's own strings: `NEWS_TITLE (Anna, 3)`.
    static func localized(_ key: Any?, _ arguments: Any?) -> String? {
        guard let key = text(key) else { return nil }
        let list = (arguments as? [Any] ?? []).compactMap(text)
        return list.isEmpty ? key : "\(key) (\(list.joined(separator: ", ")))"
    }
}

extension String {
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
