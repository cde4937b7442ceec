/// The platform of a payload: the values of `ServiceBusNotification-Format`.
///
/// Content types of the SDKs (docs/wire/notification-hubs.md, "Formats"). For `baidu` they disagree; we send JSON as
/// Java and JS do, because the body is JSON.
enum NotificationFormat: String, CaseIterable {
    case template
    case apple
    case fcmv1
    case gcm
    case windows
    case windowsphone
    case adm
    case baidu
    case browser
    case xiaomi
    case nokiax

    /// - Parameter name: in any case: the documentation writes `fcmV1`.
    init?(named name: String) {
        guard let format = Self(rawValue: name) ?? Self(rawValue: name.lowercased()) else { return nil }
        self = format
    }

    /// - Parameter raw: the post has `X-WNS-Type: wns/raw`, so its body may be any bytes.
    func contentType(raw: Bool) -> String {
        switch self {
        case .template, .apple, .fcmv1, .gcm, .browser, .xiaomi, .baidu: "application/json;charset=utf-8"
        case .adm, .nokiax: "application/json"
        case .windows: raw ? "application/octet-stream" : "application/xml"
        case .windowsphone: "application/xml;charset=utf-8"
        }
    }
}
