import Foundation

/// The device's address at its platform's push service.
public enum PushChannel: Sendable, Equatable, Codable {
    /// An APNs device token, an FCM registration token, a WNS URI ...
    case handle(String)
    /// Web push; the only platform whose channel is an object. Indirect: a hub may have millions of the other case.
    indirect case subscription(Subscription)

    /// What a browser's push service needs.
    public struct Subscription: Sendable, Equatable, Codable {
        public var endpoint: String
        public var p256dh: String
        public var auth: String
        /// The JSON text that .NET and Java write in place of the object; it is read back as it was written. nil: the
        /// object itself, as JavaScript writes it.
        public internal(set) var text: String?

        private enum CodingKeys: String, CodingKey { case endpoint, p256dh, auth }
    }

    public static func browser(endpoint: String, p256dh: String, auth: String) -> PushChannel {
        .subscription(Subscription(endpoint: endpoint, p256dh: p256dh, auth: auth))
    }

    /// - Parameter text: a handle, or a browser's object as JSON text, which begins with `{` unlike any handle.
    init(_ text: String) {
        if text.hasPrefix("{"), var subscription = try? JSONDecoder().decode(Subscription.self, from: Data(text.utf8)) {
            subscription.text = text
            self = .subscription(subscription)
        } else {
            self = .handle(text)
        }
    }

    public init(from decoder: any Decoder) throws {
        // Tries the object first, so that an error is about the plain form.
        if (try? decoder.container(keyedBy: AnyKey.self)) != nil {
            self = .subscription(try Subscription(from: decoder))
        } else {
            self.init(try decoder.singleValueContainer().decode(String.self))
        }
    }

    private struct AnyKey: CodingKey {
        var stringValue: String { "" }
        var intValue: Int? { nil }
        init?(stringValue: String) { nil }
        init?(intValue: Int) { nil }
    }

    public func encode(to encoder: any Encoder) throws {
        let text: String
        switch self {
        case .handle(let handle): text = handle
        case .subscription(let subscription):
            guard let written = subscription.text else { return try subscription.encode(to: encoder) }
            text = written
        }
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// The handle that a direct send names.
    var text: String {
        switch self {
        case .handle(let text): text
        case .subscription(let subscription): subscription.endpoint
        }
    }

    /// - Throws: `EmulatorError`: an APNs token is an even number of hex digits, a browser's channel is an object, and
    ///   no channel is empty.
    func check(for platform: Installation.Platform) throws(EmulatorError) {
        switch (self, platform) {
        case (.subscription(let subscription), .browser):
            if subscription.endpoint.isEmpty { throw EmulatorError("The pushChannel has an empty endpoint.") }
        case (.subscription, _):
            throw EmulatorError("The pushChannel is an object only on the browser platform.")
        case (.handle, .browser):
            throw EmulatorError(
                "The pushChannel of a browser is an object with endpoint, p256dh and auth, or its JSON text.")
        case (.handle(let text), .apns):
            // `isHexDigit` alone takes full-width digits, too.
            guard !text.isEmpty, text.utf8.count.isMultiple(of: 2), text.allSatisfy({ $0.isASCII && $0.isHexDigit })
            else {
                throw EmulatorError("The pushChannel of apns is an even number of hex digits.")
            }
        case (.handle(let text), _):
            if text.isEmpty { throw EmulatorError("The pushChannel is empty.") }
        }
    }
}
