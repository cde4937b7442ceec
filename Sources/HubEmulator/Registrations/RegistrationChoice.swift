import PushModel

/// Which registrations to list.
enum RegistrationChoice: Sendable {
    case all
    /// In lower case.
    case tag(String)
    case channel(RegistrationFilter)

    func matches(_ device: Device, _ part: SharedParts.Part) -> Bool {
        switch self {
        case .all: true
        case .tag(let tag): device.has(tag, in: part)
        case .channel(let filter): filter.matches(device.channel(of: part), of: device.platform)
        }
    }
}

/// `$filter=DeviceToken eq '...'`: the registrations of one handle. The .NET client writes `ChannelUri` for every
/// platform; other names are those of the element with the handle.
struct RegistrationFilter: Sendable, Equatable {
    /// As written.
    let handle: String
    /// The platforms that the filter's name stands for.
    let platforms: Set<Installation.Platform>

    private static let elements: [String: Set<Installation.Platform>] = [
        "channeluri": Set(Installation.Platform.allCases), "devicetoken": [.apns], "gcmregistrationid": [.gcm],
        "fcmregistrationid": [.gcm], "fcmv1registrationid": [.fcmV1], "admregistrationid": [.adm],
        "xiaomiregistrationid": [.xiaomi], "endpoint": [.browser],
    ]

    /// nil: not a comparison of a handle with a text in single quotation marks. A quotation mark inside is doubled.
    init?(_ text: String) {
        let words = text.split(scalar: " ", maxSplits: 2)
        guard words.count == 3, words[1].lowercased() == "eq",
            let platforms = Self.elements[words[0].lowercased()]
        else { return nil }
        let literal = words[2].unicodeScalars.drop { $0 == " " }
        guard literal.count >= 3, literal.first == "'", literal.last == "'" else { return nil }
        let inner = Substring(literal.dropFirst().dropLast())
        let doubled = inner.replacing(scalars: "''", with: "")
        guard !doubled.utf8.contains(UInt8(ascii: "'")) else { return nil }
        handle = inner.replacing(scalars: "''", with: "'")
        self.platforms = platforms
    }

    /// Spellings under which the handle may be registered: the hex digits of an APNs token are case-insensitive.
    var spellings: [String] { Array(Set([handle, handle.lowercased(), handle.uppercased()])) }

    func matches(_ channel: String, of platform: Installation.Platform) -> Bool {
        guard platforms.contains(platform) else { return false }
        return channel == handle || platform == .apns && channel.lowercased() == handle.lowercased()
    }
}
