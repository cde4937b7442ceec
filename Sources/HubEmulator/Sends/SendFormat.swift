/// The value of `ServiceBusNotification-Format`: what the body of a send is.
enum SendFormat: String, CaseIterable {
    case template, apple, fcmv1, gcm, windows, windowsphone, adm, baidu, browser, xiaomi

    /// Documentation writes `fcmV1` too: case does not count.
    init?(header: String) { self.init(rawValue: header.lowercased()) }

    /// A send in a platform's own format goes to the devices of that platform as it is; a template send to every
    /// template, whatever the platform.
    func reaches(_ part: SharedParts.Part, of platform: Installation.Platform) -> Bool {
        self == .template ? part.template != nil : part.template == nil && platform.format == rawValue
    }

    /// Whose format it is; nil for templates, which are for all.
    var platform: Installation.Platform? { Installation.Platform.allCases.first { $0.format == rawValue } }

    /// Whether a payload that is no JSON is refused. Windows takes XML or any bytes; of the others nothing is known.
    var isJSON: Bool {
        switch self {
        case .template, .apple, .fcmv1, .gcm, .adm, .xiaomi: true
        case .windows, .windowsphone, .baidu, .browser: false
        }
    }

    /// The media types clients send it as, the usual one first (content_types.json; for Windows also the pages on
    /// direct and batch sends).
    ///
    /// - Parameter isRaw: bytes for the app, of no form the service knows: `X-WNS-Type: wns/raw`.
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

extension Installation.Platform {
    /// Bytes the platform's service takes at most (notification-hubs.md section 5; MPNS: Microsoft's pages on Windows
    /// Phone, 3 KB of payload).
    ///
    /// - Parameter isVoIP: `apns-push-type: voip`, which may be larger.
    func payloadLimit(isVoIP: Bool = false) -> Int {
        switch self {
        case .apns: isVoIP ? 5_120 : 4_096
        case .fcmV1, .gcm, .baidu, .browser, .xiaomi: 4_096
        case .wns: 5_120
        case .adm: 6_144
        case .mpns: 3_072
        }
    }
}
