/// The text that a user would see, read from a finished payload.
public struct AlertText: Sendable, Equatable, Codable {
    public var title: String?
    public var body: String?

    /// Reads the first of these places that exists, for any platform:
    /// - `aps.alert`: a text, or an object with `title` and `body`;
    /// - `message.notification`, also under `message.android`, or else `message.data`: `title`, and `body` or `message`;
    /// - `notification` or `data` at the top (FCM before v1, ADM), likewise;
    /// - `title`, and `description`, `body` or `message`, at the top (Baidu, Xiaomi, browsers);
    /// - in XML the `text` elements of a toast or tile, `Text1` and `Text2` of a Windows Phone toast: the first is the
    ///   title if there are several.
    ///
    /// nil: the payload has no such place (a silent push, a localisation key, a raw push).
    public init?(payload: String) {
        if payload.utf8.first(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }) == UInt8(ascii: "<") {
            self.init(xml: payload)
            return
        }
        // A payload that is neither XML nor a JSON object has no alert; that is not an error.
        guard let object = try? JSONNode(Array(payload.utf8)).value, object.isObject else { return nil }
        if let aps = object.object("aps") {
            guard let alert = aps["alert"] else { return nil }
            self.init(alert)
        } else if let message = object.object("message") {
            let android = message.object("android")
            guard let place = message["notification"] ?? android?["notification"] ?? message["data"] else { return nil }
            self.init(place)
        } else {
            self.init(object["notification"] ?? object["data"] ?? object)
        }
    }

    /// nil: the phone shows no text.
    public init?(_ preview: NotificationPreview) {
        title = preview.title
        body = preview.body
        if preview.isSilent || title == nil && body == nil { return nil }
    }

    private init?(_ place: JSONValue) {
        if let text = place.string {
            body = text
            return
        }
        guard place.isObject else { return nil }
        title = place["title"]?.string
        body = ["body", "message", "description"].lazy.compactMap { place[$0]?.string }.first
        if title == nil && body == nil { return nil }
    }

    private init?(xml: String) {
        guard let outline = XMLOutline(xml) else { return nil }
        let texts = outline.texts.filter { text in
            let name = text.element.split(separator: ":").last ?? ""
            return name == "text" || name == "Text1" || name == "Text2"
        }
        .map(\.text)
        guard let first = texts.first else { return nil }
        if texts.count > 1 { title = first }
        body = texts.count > 1 ? texts.dropFirst().joined(separator: "\n") : first
    }

    /// Title and body are empty: the device would show an empty bubble, or nothing.
    public var isEmpty: Bool { (title ?? "").isEmpty && (body ?? "").isEmpty }
}
