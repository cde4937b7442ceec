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
    /// The labels of the buttons, where the payload contains them (WNS, browsers). Those of APNs are in the app, by `category`.
    public var actions: [String] = []
    /// APNs `interruption-level`, FCM `priority`.
    public var level: String?
    /// Nothing is shown; the app is only woken for the data.
    public var isSilent = false
    /// The texts that the phone looks up by their keys, known or not.
    public var lookedUp: [LocalisedText] = []

    private enum CodingKeys: CodingKey {
        case title, subtitle, body, badge, sound, category, actions, level, isSilent
    }

    /// Nothing but what is given.
    public init(title: String? = nil, body: String? = nil) {
        self.title = title
        self.body = body
    }

    /// - Parameters:
    ///   - platform: nil: unknown. The payload is enough in most cases.
    ///   - text: the app's text for a key; nil: it has none. Default: it has none, so that keys are shown as they are.
    public init(
        _ payload: String, platform: DevicePlatform? = nil,
        text: @escaping (LocalisedText) -> String? = { _ in nil }
    ) {
        var reader = NotificationReader(text)
        reader.read(payload, on: platform)
        self = reader.shown
    }

    /// A visible notification without text: an empty bubble, or nothing at all.
    public var isEmpty: Bool { !isSilent && [title, subtitle, body].allSatisfy { ($0 ?? "").isBlank } }
}

extension String {
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
