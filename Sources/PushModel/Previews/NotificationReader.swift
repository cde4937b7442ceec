/// Finds in a finished payload what a device shows of it.
struct NotificationReader {
    private(set) var shown = NotificationPreview()
    /// The app's text for a key.
    private let text: (LocalisedText) -> String?

    init(_ text: @escaping (LocalisedText) -> String?) { self.text = text }

    mutating func read(_ payload: String, on platform: DevicePlatform?) {
        if payload.first(where: { !$0.isWhitespace }) == "<" {
            read(xml: payload)
        } else if let object = try? JSONNode(Array(payload.utf8)).value, object.isObject {
            read(object, platform)
        } else {
            // The app decides what to make of a raw push; show it as it is.
            shown.body = String(payload.prefix(500))
        }
        let isTextless = [shown.title, shown.subtitle, shown.body].allSatisfy { $0 == nil }
        if !shown.isSilent, isTextless, shown.badge != nil || shown.sound != nil { shown.isSilent = true }
    }

    private mutating func read(_ object: JSONValue, _ platform: DevicePlatform?) {
        if let aps = object["aps"] {
            read(aps: aps)
        } else if let message = object.object("message") {
            read(message: message, on: platform)
        } else if object["notification"] != nil || object["data"] != nil {
            read(message: object, on: nil)
        } else {
            // Baidu and Xiaomi name it description. Web push has no fixed form; these names are the usual ones.
            shown.title = object["title"]?.shownText
            shown.body = (object["body"] ?? object["description"] ?? object["message"])?.shownText
            if shown.title == nil, shown.body == nil { shown.isSilent = true }
        }
    }

    /// Apple: the dictionary `aps` (docs/wire/fcm-apns.md, "The `aps` dictionary").
    private mutating func read(aps: JSONValue) {
        let alert = aps["alert"]
        if let text = alert?.string {
            shown.body = text
        } else if let alert, alert.isObject {
            shown.title = alert["title"]?.shownText ?? localized(alert["title-loc-key"], alert["title-loc-args"])
            shown.subtitle =
                alert["subtitle"]?.shownText ?? localized(alert["subtitle-loc-key"], alert["subtitle-loc-args"])
            shown.body = alert["body"]?.shownText ?? localized(alert["loc-key"], alert["loc-args"])
        } else {
            shown.isSilent = aps["content-available"]?.shownText == "1"
        }
        shown.badge = aps["badge"]?.shownText
        shown.sound = aps["sound"]?.shownText ?? aps["sound"]?["name"]?.shownText
        shown.category = aps["category"]?.shownText
        shown.level = aps["interruption-level"]?.shownText
    }

    /// Google: FCM v1 inside `message`, the older form and Amazon's at the top.
    ///
    /// - Parameter platform: of the phone; nil: unknown, and then as on Android.
    private mutating func read(message: JSONValue, on platform: DevicePlatform?) {
        switch platform {
        case .apns: readForApple(message)
        case .browser: readForBrowser(message)
        default: readForAndroid(message)
        }
    }

    private mutating func readForAndroid(_ message: JSONValue) {
        let android = message.object("android")
        let own = android?.object("notification")
        let common = message.object("notification")
        guard common != nil || own?.isEmptyObject == false else {
            return readData(android?["data"] ?? message["data"])
        }
        func first(_ name: String, _ camel: String) -> JSONValue? {
            own?[name] ?? own?[camel] ?? common?[name] ?? common?[camel]
        }
        shown.title =
            first("title", "title")?.shownText
            ?? localized(first("title_loc_key", "titleLocKey"), first("title_loc_args", "titleLocArgs"))
        shown.body =
            first("body", "body")?.shownText
            ?? localized(first("body_loc_key", "bodyLocKey"), first("body_loc_args", "bodyLocArgs"))
        shown.badge = first("notification_count", "notificationCount")?.shownText
        shown.sound = first("sound", "sound")?.shownText
        shown.category =
            first("channel_id", "channelId")?.shownText ?? first("click_action", "clickAction")?.shownText
        shown.level =
            first("notification_priority", "notificationPriority")?.shownText ?? android?["priority"]?.shownText
    }

    /// What FCM passes on to APNs: `apns.payload`, in which `notification` fills title and body unless they stand there.
    private mutating func readForApple(_ message: JSONValue) {
        let aps = message["apns"]?["payload"]?.object("aps")
        guard let common = message.object("notification") else {
            guard aps?.isEmptyObject ?? true else { return read(aps: aps ?? .object([])) }
            readData(message["data"])
            return
        }
        guard aps?["alert"]?.string == nil else { return read(aps: aps ?? .object([])) }
        var alert = aps?.object("alert") ?? .object([])
        if alert["title"] == nil, alert["title-loc-key"] == nil { alert = alert.with("title", common["title"]) }
        if alert["body"] == nil, alert["loc-key"] == nil { alert = alert.with("body", common["body"]) }
        read(aps: (aps ?? .object([])).with("alert", alert))
    }

    private mutating func readForBrowser(_ message: JSONValue) {
        let web = message.object("webpush")
        let own = web?.object("notification")
        let common = message.object("notification")
        guard own != nil || common != nil else {
            readData(web?["data"] ?? message["data"])
            return
        }
        shown.title = (own?["title"] ?? common?["title"])?.shownText
        shown.body = (own?["body"] ?? common?["body"])?.shownText
        shown.badge = own?["badge"]?.shownText
        guard case .array(let actions) = own?["actions"] else { return }
        shown.actions = actions.compactMap { $0.value["title"]?.shownText }
    }

    /// Data alone: the system shows nothing, but most apps make their notification from these.
    private mutating func readData(_ data: JSONValue?) {
        shown.title = data?["title"]?.shownText
        shown.body = (data?["body"] ?? data?["message"] ?? data?["alert"])?.shownText
        shown.isSilent = shown.title == nil && shown.body == nil
    }

    /// Windows: a toast, a tile, a badge; Windows Phone's `wp:Text1`, `wp:Text2`.
    private mutating func read(xml: String) {
        let bytes = Array(xml.utf8)
        var scanner = XMLScanner(bytes)
        var texts: [Substring: [String]] = [:]
        var isToast = false
        // Of a document that is not well-formed, shows what stands before the fault.
        while let event = try? scanner.next() {
            let element = scanner.elementName.split(separator: ":").last ?? ""
            switch event {
            case .start: if element == "toast" { isToast = true }
            case .attribute(let range):
                let value = XMLText.decodeAttribute(bytes, range)
                switch (element, scanner.attributeName) {
                case ("badge", "value"): shown.badge = shown.badge ?? value
                case ("audio", "src"): shown.sound = shown.sound ?? value
                case ("action", "content"): shown.actions.append(value)
                default: break
                }
            case .end(let runs, isLeaf: true):
                let text = XMLText.decodeText(bytes, runs)
                if !text.isEmpty { texts[element, default: []].append(text) }
            case .end, .instruction: break
            }
        }
        let lines = texts["text"] ?? (texts["Text1"] ?? []) + (texts["Text2"] ?? [])
        shown.title = lines.first
        shown.body = lines.count > 1 ? lines.dropFirst().joined(separator: "\n") : nil
        shown.isSilent = lines.isEmpty && shown.badge == nil && !isToast
    }

    /// The app's text for a localisation key; when it has none, the key with its arguments: `NEWS_TITLE (Anna, 3)`.
    private mutating func localized(_ key: JSONValue?, _ arguments: JSONValue?) -> String? {
        guard let key = key?.shownText else { return nil }
        var texts: [String] = []
        if case .array(let values) = arguments { texts = values.compactMap(\.value.shownText) }
        let localised = LocalisedText(key: key, arguments: texts)
        shown.lookedUp.append(localised)
        return text(localised) ?? localised.unresolved
    }
}
