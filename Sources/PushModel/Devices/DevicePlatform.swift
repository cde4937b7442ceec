/// The service that brings pushes to a device of a notification hub: `platform` of an installation
/// (docs/wire/notification-hubs.md, "Installations").
public enum DevicePlatform: String, Sendable, Codable, CaseIterable {
    case apns, wns, mpns, adm, gcm, baidu, browser, fcmV1, xiaomi

    /// The `ServiceBusNotification-Format` that reaches this platform without a template.
    public var format: String {
        switch self {
        case .apns: "apple"
        case .wns: "windows"
        case .mpns: "windowsphone"
        case .fcmV1: "fcmv1"
        case .adm, .gcm, .baidu, .browser, .xiaomi: rawValue
        }
    }

    /// Whether a template may be XML.
    public var takesXML: Bool { self == .wns || self == .mpns }

    /// Most bytes of a payload (docs/wire/notification-hubs.md, "Limits and tiers"; MPNS: Microsoft's pages on Windows
    /// Phone, 3 KB).
    ///
    /// - Parameter isVoIP: `apns-push-type: voip`, which may be larger.
    public func payloadLimit(isVoIP: Bool = false) -> Int {
        switch self {
        case .apns: (isVoIP ? ApplePushType.voip : .alert).payloadLimit
        case .fcmV1, .gcm, .baidu, .browser, .xiaomi: 4_096
        case .wns: 5_120
        case .adm: 6_144
        case .mpns: 3_072
        }
    }

    /// The same of a payload with these headers.
    func payloadLimit(_ headers: [String: String]) -> Int {
        payloadLimit(
            isVoIP: headers.contains { $0.key.lowercased() == "apns-push-type" && $0.value.lowercased() == "voip" })
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue.lowercased(), $0) })

    /// In any case: Java writes `fcmv1`, the REST page `FCMV1`. nil: no such platform.
    public init?(named name: some StringProtocol) {
        guard let platform = Self.byName[name.lowercased()] else { return nil }
        self = platform
    }

    /// As `init(named:)`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let platform = DevicePlatform(named: name) else {
            let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(name.prefix(40))' is none of \(known)")
        }
        self = platform
    }
}
