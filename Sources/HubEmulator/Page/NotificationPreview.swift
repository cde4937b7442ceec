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
    /// The labels of the buttons, where the payload contains them (WNS, browsers). Those of APNs: `ReceivedPush.buttons`.
    public var actions: [String] = []
    /// APNs `interruption-level`, FCM `priority`.
    public var level: String?
    /// Nothing is shown; the app is only woken for the data.
    public var isSilent = false
    /// The texts that the phone looks up by their keys, known or not.
    var lookedUp: [LocalisedText] = []
    private var texts = PhoneTexts.none

    private enum CodingKeys: CodingKey {
        case title, subtitle, body, badge, sound, category, actions, level, isSilent
    }

    init() {}

    /// - Parameters:
    ///   - platform: nil: unknown. The payload is enough in most cases.
    ///   - texts: the app's; default: none, so that keys are shown as they are.
    init(_ payload: String, platform: Installation.Platform? = nil, texts: PhoneTexts = .none) {
        self.texts = texts
        if payload.first(where: { !$0.isWhitespace }) == "<" {
            read(xml: payload)
        } else if let parsed = try? JSONSerialization.jsonObject(with: Data(payload.utf8)),
            let object = parsed as? [String: Any]
        {
            read(object, platform)
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

    private mutating func read(_ object: [String: Any], _ platform: Installation.Platform?) {
        if object["aps"] != nil {
            read(aps: object["aps"] as? [String: Any] ?? [:])
        } else if let message = object["message"] as? [String: Any] {
            read(message: message, on: platform)
        } else if object["notification"] != nil || object["data"] != nil {
            read(message: object, on: nil)
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

    /// The app's text for a localisation key; when it has none, the key with its arguments: `NEWS_TITLE (Anna, 3)`.
    mutating func localized(_ key: Any?, _ arguments: Any?) -> String? {
        guard let key = Self.text(key) else { return nil }
        let localised = LocalisedText(key: key, arguments: (arguments as? [Any] ?? []).compactMap(Self.text))
        lookedUp.append(localised)
        return texts.text(of: localised) ?? localised.unresolved
    }
}

extension String {
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
