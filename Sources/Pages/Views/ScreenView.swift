import PushModel

/// A phone with the notifications on it: the template `screen`, in an element of the class `phoneLook`.
///
/// Names are unique across all views of a page, because a template looks up a missing name in the surrounding views.
package struct ScreenView: Sendable {
    package let phoneName: String
    /// `ios`, `android`, `windows`, `web` or `plain`.
    package let phoneLook: String
    package let hasCards: Bool
    /// The newest first.
    package let cards: [CardView]

    /// - Parameter platform: nil: unknown.
    package init(_ name: String, platform: DevicePlatform?, cards: [CardView]) {
        phoneName = name
        phoneLook = Self.look(of: platform)
        hasCards = !cards.isEmpty
        self.cards = cards
    }

    private static func look(of platform: DevicePlatform?) -> String {
        switch platform {
        case .apns: "ios"
        case .wns, .mpns: "windows"
        case .browser: "web"
        case .fcmV1, .gcm, .adm, .baidu, .xiaomi: "android"
        case nil: "plain"
        }
    }

    /// What people call a device of the platform.
    package static func kind(of platform: DevicePlatform?) -> String {
        switch platform {
        case .apns: "iPhone"
        case .fcmV1, .gcm: "Android"
        case .adm: "Fire"
        case .baidu: "Android · Baidu"
        case .xiaomi: "Android · Xiaomi"
        case .wns: "Windows"
        case .mpns: "Windows Phone"
        case .browser: "Browser"
        case nil: "Unknown device"
        }
    }
}
