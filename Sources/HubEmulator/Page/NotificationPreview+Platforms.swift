import PushModel

extension NotificationPreview {
    /// Apple: the dictionary `aps` (docs/wire/fcm-apns.md, "The `aps` dictionary").
    mutating func read(aps: [String: Any]) {
        switch aps["alert"] {
        case let text as String: body = text
        case let parts as [String: Any]:
            title = Self.text(parts["title"]) ?? localized(parts["title-loc-key"], parts["title-loc-args"])
            subtitle = Self.text(parts["subtitle"]) ?? localized(parts["subtitle-loc-key"], parts["subtitle-loc-args"])
            body = Self.text(parts["body"]) ?? localized(parts["loc-key"], parts["loc-args"])
        default: isSilent = Self.text(aps["content-available"]) == "1"
        }
        badge = Self.text(aps["badge"])
        sound = Self.text(aps["sound"]) ?? (aps["sound"] as? [String: Any]).flatMap { Self.text($0["name"]) }
        category = Self.text(aps["category"])
        level = Self.text(aps["interruption-level"])
    }

    /// Google: FCM v1 inside `message`, the older form and Amazon's at the top.
    ///
    /// - Parameter platform: of the phone; nil: unknown, and then as on Android.
    mutating func read(message: [String: Any], on platform: Installation.Platform?) {
        switch platform {
        case .apns: readForApple(message)
        case .browser: readForBrowser(message)
        default: readForAndroid(message)
        }
    }

    private mutating func readForAndroid(_ message: [String: Any]) {
        let android = message["android"] as? [String: Any] ?? [:]
        let own = android["notification"] as? [String: Any] ?? [:]
        let common = message["notification"] as? [String: Any]
        if common != nil || !own.isEmpty {
            let common = common ?? [:]
            func first(_ name: String, _ camel: String) -> Any? {
                own[name] ?? own[camel] ?? common[name] ?? common[camel]
            }
            title =
                Self.text(first("title", "title"))
                ?? localized(first("title_loc_key", "titleLocKey"), first("title_loc_args", "titleLocArgs"))
            body =
                Self.text(first("body", "body"))
                ?? localized(first("body_loc_key", "bodyLocKey"), first("body_loc_args", "bodyLocArgs"))
            badge = Self.text(first("notification_count", "notificationCount"))
            sound = Self.text(first("sound", "sound"))
            category =
                Self.text(first("channel_id", "channelId")) ?? Self.text(first("click_action", "clickAction"))
            level =
                Self.text(first("notification_priority", "notificationPriority")) ?? Self.text(android["priority"])
            return
        }
        readData(android["data"] ?? message["data"])
    }

    /// What FCM passes on to APNs: `apns.payload`, in which `notification` fills title and body unless they stand there.
    private mutating func readForApple(_ message: [String: Any]) {
        let payload = (message["apns"] as? [String: Any])?["payload"] as? [String: Any]
        var aps = payload?["aps"] as? [String: Any] ?? [:]
        guard let common = message["notification"] as? [String: Any] else {
            guard aps.isEmpty else { return read(aps: aps) }
            readData(message["data"])
            return
        }
        if aps["alert"] as? String == nil {
            var alert = aps["alert"] as? [String: Any] ?? [:]
            if alert["title"] == nil, alert["title-loc-key"] == nil { alert["title"] = common["title"] }
            if alert["body"] == nil, alert["loc-key"] == nil { alert["body"] = common["body"] }
            aps["alert"] = alert
        }
        read(aps: aps)
    }

    private mutating func readForBrowser(_ message: [String: Any]) {
        let web = message["webpush"] as? [String: Any] ?? [:]
        let own = web["notification"] as? [String: Any]
        let common = message["notification"] as? [String: Any]
        guard own != nil || common != nil else {
            readData(web["data"] ?? message["data"])
            return
        }
        title = Self.text(own?["title"] ?? common?["title"])
        body = Self.text(own?["body"] ?? common?["body"])
        badge = Self.text(own?["badge"])
        let actions = own?["actions"] as? [Any] ?? []
        self.actions = actions.compactMap { ($0 as? [String: Any]).flatMap { Self.text($0["title"]) } }
    }

    /// Data alone: the system shows nothing, but most apps make their notification from these.
    private mutating func readData(_ data: Any?) {
        let data = data as? [String: Any] ?? [:]
        title = Self.text(data["title"])
        body = Self.text(data["body"] ?? data["message"] ?? data["alert"])
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
