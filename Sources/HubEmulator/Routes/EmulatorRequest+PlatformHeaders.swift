extension EmulatorRequest {
    /// The headers of a send that the hub hands on to the platform's service, by name as it came
    /// (notification-hubs.md section 3.1).
    var platformHeaders: [String: String] {
        var found: [String: String] = [:]
        for field in headers where Self.isForPlatform(field.name.canonicalName) {
            found[field.name.rawName] = field.value
        }
        return found
    }

    /// - Parameter name: in lower case.
    static func isForPlatform(_ name: String) -> Bool {
        name.hasPrefix("apns-") || name.hasPrefix("x-wns-") || name == "x-windowsphone-target"
            || name == "x-notificationclass" || name == "x-baidu-message-type"
            || name == "servicebusnotification-apns-expiry"
    }
}
