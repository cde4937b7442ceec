import PushModel

/// The hubs of a test bed, by their names in push.hub. The emulator serves all of them.
public enum TestHub: String, Sendable, CaseIterable {
    /// Localises by properties, and for the time of a fault by tags.
    case news
    /// Localises by tags.
    case local
    /// A sender of FCM.
    case shop
    /// A sender of APNs, over TLS and HTTP/2.
    case ios

    public var kind: HubKind {
        switch self {
        case .news, .local: .notificationHubs
        case .shop: .fcm
        case .ios: .apns
        }
    }

    /// For people: `shop, FCM`.
    var title: String { "\(rawValue), \(kind.facts.label)" }

    /// Those at which backends register devices.
    static var withDevices: [TestHub] { allCases.filter(\.kind.facts.keepsDevices) }
}
