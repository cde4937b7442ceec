import Foundation

/// What a person would read on the screen, found in a finished payload.
public struct Alert: Sendable, Equatable, Codable {
    public var title: String?
    public var body: String?

    /// Reads `aps.alert` (a text, or an object with `title` and `body`) or `message.notification` with `title` and
    /// `body` (FCM v1, also under `message.android`). nil: the payload has no such place, so nothing to read was meant
    /// (a silent push, a localisation key, another platform).
    public init?(payload: String) {
        // A payload that is not JSON (a toast, a raw push) has no alert we know of: that is the answer, not an error.
        guard let parsed = try? JSONSerialization.jsonObject(with: Data(payload.utf8)),
            let object = parsed as? [String: Any]
        else { return nil }
        if let aps = object["aps"] as? [String: Any], let alert = aps["alert"] {
            self.init(alert)
        } else if let message = object["message"] as? [String: Any] {
            let android = message["android"] as? [String: Any]
            guard let notification = message["notification"] ?? android?["notification"] else { return nil }
            self.init(notification)
        } else {
            return nil
        }
    }

    private init?(_ place: Any) {
        if let text = place as? String {
            body = text
            return
        }
        guard let parts = place as? [String: Any] else { return nil }
        title = parts["title"] as? String
        body = parts["body"] as? String
        if title == nil && body == nil { return nil }
    }

    /// Neither title nor body has a character in it: the device would show an empty bubble, or nothing.
    public var isEmpty: Bool { (title ?? "").isEmpty && (body ?? "").isEmpty }
}
