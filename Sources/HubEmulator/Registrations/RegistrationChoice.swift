/// Which registrations a list is asked for.
enum RegistrationChoice: Sendable {
    case all
    /// In lower case.
    case tag(String)
    case channel(RegistrationFilter)

    func takes(_ resident: Device, _ part: SharedParts.Part) -> Bool {
        switch self {
        case .all: true
        case .tag(let tag): resident.has(tag, in: part)
        case .channel(let filter): filter.takes(resident.channel(of: part), of: resident.platform)
        }
    }
}

/// `$filter=DeviceToken eq '...'`: the registrations of one handle. The .NET client says `ChannelUri` for every
/// platform; the others are found under the element their handle stands in.
struct RegistrationFilter: Sendable, Equatable {
    /// As given.
    let handle: String
    /// Whose handles are meant.
    let platforms: Set<Installation.Platform>

    private static let elements: [String: Set<Installation.Platform>] = [
        "channeluri": Set(Installation.Platform.allCases), "devicetoken": [.apns], "gcmregistrationid": [.gcm],
        "fcmregistrationid": [.gcm], "fcmv1registrationid": [.fcmV1], "admregistrationid": [.adm],
        "xiaomiregistrationid": [.xiaomi], "endpoint": [.browser],
    ]

    /// nil: it is no comparison of a handle with a text in single quotation marks, of which one inside is doubled.
    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[1].lowercased() == "eq",
            let platforms = Self.elements[words[0].lowercased()]
        else { return nil }
        let literal = words[2].drop { $0 == " " }
        guard literal.count >= 3, literal.hasPrefix("'"), literal.hasSuffix("'") else { return nil }
        let inner = literal.dropFirst().dropLast()
        let doubled = inner.replacing("''", with: "")
        guard !doubled.contains("'") else { return nil }
        handle = String(inner).replacing("''", with: "'")
        self.platforms = platforms
    }

    /// The texts under which such a handle may be registered: hex digits of an APNs token have no case.
    var spellings: [String] { Array(Set([handle, handle.lowercased(), handle.uppercased()])) }

    func takes(_ channel: String, of platform: Installation.Platform) -> Bool {
        guard platforms.contains(platform) else { return false }
        return channel == handle || platform == .apns && channel.lowercased() == handle.lowercased()
    }
}
