/// What an FCM v1 message sent through a hub may look like (docs/wire/fcm-apns.md). Google refuses some payloads, but
/// only when the hub forwards them: the hub has accepted the post, and no device gets the push.
enum FCMPayload {
    /// - Throws: what is wrong with it, with the path to it.
    static func check(_ payload: PayloadNode) throws(Unsendable) {
        guard let message = payload["message"] else {
            throw Unsendable(
                "content", nil,
                "\(payload.path(to: "message")) is missing; a payload for fcmv1 is {\"message\": {...}}")
        }
        try message.checkObject()
        for name in ["token", "topic", "condition"] {
            if let node = message[name] {
                throw node.refusal("must not be set: the row's tag or handles say whom it is for")
            }
        }
        try message["data"]?.checkStrings()
        if let notification = message["notification"] { try check(notification: notification, of: message) }
        if let android = message["android"] { try check(android: android) }
        if let apns = message["apns"] {
            try apns.checkObject()
            if let payload = apns["payload"] {
                try payload.checkObject()
                try ApplePayload.check(payload)
            }
        }
    }

    private static func check(notification: PayloadNode, of message: PayloadNode) throws(Unsendable) {
        try notification.checkObject()
        for (_, key, node) in notification.localisationKeys {
            let android = key.android.map { "\(message.path).android.notification.\($0)" }
            let apple = "\(message.path).apns.payload.aps.alert.\(key.apple)"
            throw node.refusal(
                "belongs in the platforms' own parts: " + (android.map { "\($0) and \(apple)" } ?? apple))
        }
        try notification.checkStrings(["title", "body", "image"])
    }

    private static func check(android: PayloadNode) throws(Unsendable) {
        try android.checkObject()
        if let priority = android["priority"], !["normal", "high"].contains(try priority.string().lowercased()) {
            throw priority.refusal("is neither NORMAL nor HIGH")
        }
        if let ttl = android["ttl"] {
            guard case .string(let text) = ttl.value, isDuration(text) else {
                throw ttl.refusal("is not a duration, such as \"3600s\"")
            }
        }
        guard let notification = android["notification"] else { return }
        try notification.checkObject()
        for (name, key, node) in notification.localisationKeys {
            guard let android = key.android, android != name else { continue }
            throw node.refusal("is not what Android calls it; write \(notification.path(to: android))")
        }
        try notification.checkStrings(["title_loc_key", "body_loc_key"])
        try notification.checkArguments("title_loc_args", of: "title_loc_key")
        try notification.checkArguments("body_loc_args", of: "body_loc_key")
    }

    /// `3600s`, `1.5s`: up to nine digits after the point.
    private static func isDuration(_ text: String) -> Bool {
        guard text.utf8.last == UInt8(ascii: "s") else { return false }
        let parts = text.utf8.dropLast().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.count == 1 || parts[1].count <= 9 else { return false }
        return parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } }
    }
}
