import Foundation

/// A notification as a device shows it, read from a finished payload.
///
/// Broader than `AlertText`, which decides whether a template produced an empty alert: this type is for display, and finds
/// something to show in a payload of any platform.
public struct NotificationPreview: Sendable, Equatable, Codable {
    public var title: String?
    public var subtitle: String?
    public var body: String?
    /// The number on the app's icon.
    public var badge: String?
    public var sound: String?
    /// APNs `category`, FCM `channel_id` or `click_action`.
    public var category: String?
    /// The labels of the buttons, where the payload contains them (WNS).
    public var actions: [String] = []
    /// APNs `interruption-level`, FCM `priority`.
    public var level: String?
    /// Nothing is shown; the app is only woken for the data.
    public var isSilent = false

    init() {}

    /// - Parameter platform: nil: unknown. The payload is enough in most cases.
    init(_ payload: String, platform: Installation.Platform? = nil) {
        if payload.first(where: { !$0.isWhitespace }) == "<" {
            read(xml: payload)
        } else if let parsed = try? JSONSerialization.jsonObject(with: Data(payload.utf8)),
            let object = parsed as? [String: Any]
        {
            read(object)
        } else {
            // The app decides what to make of a raw push; show it as it is.
            body = String(payload.prefix(500))
        }
        if !isSilent, [title, subtitle, body].allSatisfy({ $0 == nil }), badge != nil || sound != nil {
            isSilent = true
        }
    }

    /// A visible notification without text: an empty bubble, or nothing at all.
    public var isEmpty: Bool { !isSilent && [title, subtitle, body].allSatisfy { ($0 ?? "").isBlank } }

    private mutating func read(_ object: [String: Any]) {
        if object["aps"] != nil {
            read(aps: object["aps"] as? [String: Any] ?? [:])
        } else if let message = object["message"] as? [String: Any] {
            read(message: message)
        } else if object["notification"] != nil || object["data"] != nil {
            read(message: object)
        } else {
            // Baidu and Xiaomi name it description. Web push has no fixed form; these names are the usual ones.
            title = Self.text(object["title"])
            body = Self.text(object["body"] ?? object["description"] ?? object["message"])
            if title == nil, body == nil { isSilent = true }
        }
    }

    /// A string or a number as text. nil: another type.
    static func text(_ value: Any?) -> String? {
        switch value {
        case let text as String: text
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }

    /// A localisation key with its arguments, which the app would look up: `NEWS_TITLE (Anna, 3)`.
    static func localized(_ key: Any?, _ arguments: Any?) -> String? {
        guard let key = text(key) else { return nil }
        let list = (arguments as? [Any] ?? []).compactMap(text)
        return list.isEmpty ? key : "\(key) (\(list.joined(separator: ", ")))"
    }
}

extension String {
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
