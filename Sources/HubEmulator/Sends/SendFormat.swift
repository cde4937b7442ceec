import PushModel

/// The value of `ServiceBusNotification-Format`: the kind of a send's body.
enum SendFormat: String, CaseIterable {
    case template, apple, fcmv1, gcm, windows, windowsphone, adm, baidu, browser, xiaomi

    /// Ignores case: documentation also writes `fcmV1`.
    init?(header: String) { self.init(rawValue: header.lowercased()) }

    /// A send in a platform's own format reaches the devices of that platform; a template send reaches the templates of
    /// all platforms.
    func reaches(_ part: SharedParts.Part, of platform: Installation.Platform) -> Bool {
        self == .template ? part.template != nil : part.template == nil && platform.format == rawValue
    }

    /// The platform with this format; nil for templates, which are for all platforms.
    var platform: Installation.Platform? { Installation.Platform.allCases.first { $0.format == rawValue } }

    /// Whether the service refuses a payload that is not JSON. Windows takes XML or any bytes; for the others it is
    /// unknown.
    var isJSON: Bool {
        switch self {
        case .template, .apple, .fcmv1, .gcm, .adm, .xiaomi: true
        case .windows, .windowsphone, .baidu, .browser: false
        }
    }

    /// Media types, the usual one first (docs/wire/notification-hubs.md, "Formats"; for Windows also Microsoft's pages
    /// on direct and batch sends).
    ///
    /// - Parameter isRaw: any bytes for the app: `X-WNS-Type: wns/raw`.
    func media(isRaw: Bool) -> [String] {
        switch self {
        case .template, .apple, .fcmv1, .gcm, .adm, .browser, .xiaomi: ["application/json"]
        case .baidu: ["application/json", "application/x-www-form-urlencoded"]
        case .windows where isRaw: ["application/octet-stream"]
        case .windows: ["application/xml", "text/xml", "application/json"]
        case .windowsphone: ["application/xml", "text/xml"]
        }
    }
}
