/// The value of `ServiceBusNotification-Format`: what the body of a send is.
enum SendFormat: String, CaseIterable {
    case template, apple, fcmv1, gcm, windows, windowsphone, adm, baidu, browser, xiaomi

    /// Documentation writes `fcmV1` too: case does not count.
    init?(header: String) { self.init(rawValue: header.lowercased()) }

    /// A send in a platform's own format goes to the devices of that platform as it is; a template send to every
    /// template, whatever the platform.
    func reaches(_ target: PushTarget) -> Bool {
        self == .template ? target.template != nil : target.template == nil && target.platform.format == rawValue
    }

    /// Whether a payload that is no JSON is refused. Windows takes XML or any bytes; of the others nothing is known.
    var isJSON: Bool {
        switch self {
        case .template, .apple, .fcmv1, .gcm, .adm, .xiaomi: true
        case .windows, .windowsphone, .baidu, .browser: false
        }
    }
}

extension Installation.Platform {
    /// Bytes the platform's service takes at most (notification-hubs.md section 5); nil: no figure.
    var payloadLimit: Int? {
        switch self {
        case .apns, .fcmV1, .gcm: 4_096
        case .wns: 5_120
        case .mpns, .adm, .baidu, .browser, .xiaomi: nil
        }
    }
}
