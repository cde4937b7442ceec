/// The device's address at its platform's push service.
public enum PushChannel: Sendable, Equatable, Codable {
    /// An APNs device token, an FCM registration token, a WNS URI ...
    case handle(String)
    /// Web push; the only platform whose channel is an object.
    case browser(endpoint: String, p256dh: String, auth: String)

    private enum Key: String, CodingKey { case endpoint, p256dh, auth }

    public init(from decoder: any Decoder) throws {
        // Tries the object first, so that an error is about the plain form.
        if let object = try? decoder.container(keyedBy: Key.self) {
            self = .browser(
                endpoint: try object.decode(String.self, forKey: .endpoint),
                p256dh: try object.decode(String.self, forKey: .p256dh),
                auth: try object.decode(String.self, forKey: .auth))
        } else {
            self = .handle(try decoder.singleValueContainer().decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .handle(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .browser(let endpoint, let p256dh, let auth):
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(endpoint, forKey: .endpoint)
            try container.encode(p256dh, forKey: .p256dh)
            try container.encode(auth, forKey: .auth)
        }
    }

    /// The handle that a direct send names.
    var text: String {
        switch self {
        case .handle(let text): text
        case .browser(let endpoint, _, _): endpoint
        }
    }

    /// - Throws: `EmulatorError`: an APNs token is an even number of hex digits, a browser's channel is an object, and
    ///   no channel is empty.
    func check(for platform: Installation.Platform) throws(EmulatorError) {
        switch (self, platform) {
        case (.browser(let endpoint, _, _), .browser):
            if endpoint.isEmpty { throw EmulatorError("The pushChannel has an empty endpoint.") }
        case (.browser, _):
            throw EmulatorError("The pushChannel is an object only on the browser platform.")
        case (.handle, .browser):
            throw EmulatorError("The pushChannel of a browser is an object with endpoint, p256dh and auth.")
        case (.handle(let text), .apns):
            guard !text.isEmpty, text.utf8.count.isMultiple(of: 2), text.allSatisfy(\.isHexDigit) else {
                throw EmulatorError("The pushChannel of apns is an even number of hex digits.")
            }
        case (.handle(let text), _):
            if text.isEmpty { throw EmulatorError("The pushChannel is empty.") }
        }
    }
}
