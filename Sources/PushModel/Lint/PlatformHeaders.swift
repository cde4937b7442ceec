/// The headers that the services of platforms know, as official clients and pages have them
/// (docs/wire/notification-hubs.md, "Requests").
public enum PlatformHeaders {
    /// In lower case.
    public static func known(on platform: DevicePlatform) -> Set<String> {
        switch platform {
        case .apns: apns.union([RegisteredTemplate.expiryHeader.lowercased()])
        case .wns: wns
        case .mpns: ["x-windowsphone-target", "x-notificationclass"]
        case .baidu: ["x-baidu-message-type"]
        case .adm, .gcm, .browser, .fcmV1, .xiaomi: []
        }
    }

    public static let apns: Set<String> = [
        "apns-push-type", "apns-id", "apns-expiration", "apns-priority", "apns-topic", "apns-collapse-id",
    ]
    public static let wns: Set<String> = [
        "x-wns-type", "x-wns-cache-policy", "x-wns-requestforstatus", "x-wns-tag", "x-wns-ttl", "x-wns-group",
        "x-wns-match", "x-wns-suppresspopup",
    ]
}
