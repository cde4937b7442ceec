/// What an `aps` dictionary may look like (docs/wire/fcm-apns.md). APNs silently drops keys it does not know, so a key
/// that would never be shown is refused here. Keys of the app's own, beside `aps` and in it, are not checked.
enum ApplePayload {
    private static let alertTexts = [
        "title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key", "launch-image",
    ]
    private static let levels: Set<String> = ["passive", "active", "time-sensitive", "critical"]

    /// - Parameter payload: the object that contains `aps`.
    /// - Throws: what is wrong with it, with the path to it.
    static func check(_ payload: PayloadNode) throws(Unsendable) {
        guard let aps = payload["aps"] else {
            throw Unsendable(
                "content", nil, "\(payload.path(to: "aps")) is missing; a payload for apple is {\"aps\": {...}}")
        }
        try aps.checkObject()
        if let alert = aps["alert"] { try check(alert: alert, in: aps) }
        for (_, key, node) in aps.localisationKeys {
            throw node.refusal("belongs in the alert, as \(aps.path).alert.\(key.apple)")
        }
        try checkOptions(aps)
    }

    private static func check(alert: PayloadNode, in aps: PayloadNode) throws(Unsendable) {
        if case .string = alert.value { return }
        guard case .object = alert.value else {
            throw alert.refusal("is \(alert.value.kind), neither a string nor an object")
        }
        if let category = alert["category"] {
            throw category.refusal("belongs beside the alert, as \(aps.path).category")
        }
        for (name, key, node) in alert.localisationKeys where key.apple != name {
            throw node.refusal("is unknown to Apple; write \(alert.path(to: key.apple))")
        }
        try alert.checkStrings(alertTexts)
        try alert.checkArguments("title-loc-args", of: "title-loc-key")
        try alert.checkArguments("subtitle-loc-args", of: "subtitle-loc-key")
        try alert.checkArguments("loc-args", of: "loc-key")
    }

    private static func checkOptions(_ aps: PayloadNode) throws(Unsendable) {
        if let category = aps["category"], try category.string().isEmpty {
            throw category.refusal("is empty; it names a category that the app registered")
        }
        try aps.checkStrings(["thread-id"])
        if let badge = aps["badge"] {
            guard case .number(let text) = badge.value, text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else {
                throw badge.refusal("is not a whole number from 0")
            }
        }
        if let sound = aps["sound"] {
            switch sound.value {
            case .string, .object: break
            default: throw sound.refusal("is \(sound.value.kind), neither a string nor an object")
            }
        }
        for name in ["content-available", "mutable-content"] {
            guard let flag = aps[name] else { continue }
            guard flag.value == .number("0") || flag.value == .number("1") else {
                throw flag.refusal("is neither 0 nor 1")
            }
        }
        if let level = aps["interruption-level"], !levels.contains(try level.string()) {
            throw level.refusal("must be passive, active, time-sensitive or critical")
        }
        if let score = aps["relevance-score"] {
            guard case .number = score.value else { throw score.refusal("is \(score.value.kind), not a number") }
        }
    }
}
