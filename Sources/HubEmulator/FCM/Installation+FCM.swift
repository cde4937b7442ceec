import PushModel

extension Installation {
    /// The platforms of an app that FCM reaches.
    static let platformsOfFCM: [Platform] = [.fcmV1, .apns, .browser]

    /// Checks what holds for a phone of an FCM sender.
    ///
    /// - Throws: `EmulatorError` naming the broken rule.
    func checkPhone() throws(EmulatorError) {
        guard Self.platformsOfFCM.contains(platform) else {
            throw EmulatorError("FCM reaches fcmV1 (Android), apns and browser, not \(platform.rawValue).")
        }
        guard case .handle(let token) = pushChannel, RegistrationToken.isValid(token) else {
            throw EmulatorError(
                "The pushChannel of a phone of FCM is its token: 1 to \(RegistrationToken.limit) visible ASCII characters "
                    + "without a blank.")
        }
        guard templates?.isEmpty ?? true, secondaryTiles?.isEmpty ?? true else {
            throw EmulatorError("FCM has neither templates nor tiles: leave them out.")
        }
        try Self.check(topics: topics ?? [])
    }

    /// - Throws: `EmulatorError` for an invalid topic, or too many topics.
    static func check(topics: [String]) throws(EmulatorError) {
        guard topics.count <= FCMTopic.perPhone else {
            throw EmulatorError("\(topics.count) topics; a phone has at most \(FCMTopic.perPhone).")
        }
        for topic in topics where !FCMTopic.isValid(topic) {
            throw EmulatorError("\(topic.quoted) is no topic: it has letters, digits, -, _, ., ~ and %.")
        }
    }
}
