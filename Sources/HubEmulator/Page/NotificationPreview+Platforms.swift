import PushModel

extension NotificationPreview {
    /// Apple: the dictionary `aps` (docs/wire/fcm-apns.md, "The `aps` dictionary").
    mutating func read(aps: [String: Any]) {
        switch aps["alert"] {
        case let text as String: body = text
        case let parts as [String: Any]:
            title = Self.text(parts["title"]) ?? Self.localized(parts["title-loc-key"], parts["title-loc-args"])
            subtitle =
                Self.text(parts["subtitle"]) ?? Self.localized(parts["subtitle-loc-key"], parts["subtitle-loc-args"])
            body = Self.text(parts["body"]) ?? Self.localized(parts["loc-key"], parts["loc-args"])
        default: isSilent = Self.text(aps["content-available"]) == "1"
        }
        badge = Self.text(aps["badge"])
        sound = Self.text(aps["sound"]) ?? (aps["sound"] as? [String: Any]).flatMap { Self.text($0["name"]) }
        category = Self.text(aps["category"])
        level = Self.text(aps["interruption-level"])
    }

    /// Google: FCM v1 inside `message`, the older form and Amazon's at the top.
    mutating func read(message: [String: Any]) {
        let android = message["android"] as? [String: Any] ?? [:]
        let own = android["notification"] as? [String: Any] ?? [:]
        let common = message["notification"] as? [String: Any]
        if common != nil || !own.isEmpty {
            let common = common ?? [:]
            func first(_ name: String) -> Any? { own[name] ?? common[name] }
            title = Self.text(first("title")) ?? Self.localized(first("title_loc_key"), first("title_loc_args"))
            body = Self.text(first("body")) ?? Self.localized(first("body_loc_key"), first("body_loc_args"))
            badge = Self.text(first("notification_count"))
            sound = Self.text(first("sound"))
            category = Self.text(first("channel_id")) ?? Self.text(first("click_action"))
            level = Self.text(first("notification_priority")) ?? Self.text(android["priority"])
            return
        }
        let data = message["data"] as? [String: Any] ?? [:]
        title = Self.text(data["title"])
        body = Self.text(data["body"] ?? data["message"] ?? data["alert"])
        // Data only: the system shows nothing, but most apps make their notification from these.
        isSilent = title == nil && body == nil
    }

    /// Windows: a toast, a tile, a badge; Windows Phone's `wp:Text1`, `wp:Text2`.
    mutating func read(xml: String) {
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
                case ("badge", "value"): badge = badge ?? value
                case ("audio", "src"): sound = sound ?? value
                case ("action", "content"): actions.append(value)
                default: break
                }
            case .end(let runs, isLeaf: true):
                let text = XMLText.decodeText(bytes, runs)
                if !text.isEmpty { texts[element, default: []].append(text) }
            case .end, .instruction: break
            }
        }
        let lines = texts["text"] ?? (texts["Text1"] ?? []) + (texts["Text2"] ?? [])
        title = lines.first
        body = lines.count > 1 ? lines.dropFirst().joined(separator: "\n") : nil
        isSilent = lines.isEmpty && badge == nil && !isToast
    }
}
