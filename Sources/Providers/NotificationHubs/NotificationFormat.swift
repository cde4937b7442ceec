/// For which platform a payload is meant: the values of `ServiceBusNotification-Format`.
///
/// Content types as the SDKs send them (notification-hubs.md section 3.1). For `baidu` they disagree; Java and JS send
/// JSON, which is what the body is.
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

    /// - Parameter raw: whether the post carries `X-WNS-Type: wns/raw`; its body is then any bytes.
    func contentType(raw: Bool) -> String {
        switch self {
        case .template, .apple, .fcmv1, .gcm, .browser, .xiaomi, .baidu: "application/json;charset=utf-8"
        case .adm, .nokiax: "application/json"
        case .windows: raw ? "application/octet-stream" : "application/xml"
        case .windowsphone: "application/xml;charset=utf-8"
        }
    }
}
