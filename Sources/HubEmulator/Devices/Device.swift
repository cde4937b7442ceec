import PushModel

/// One device of a hub: an installation, or a registration made on its own. Immutable: a change replaces it.
///
/// A hub may have a million, so devices share what they have in common: parts with templates, and the strings of tags.
final class Device: Sendable {
    enum Content: Sendable {
        case installation(Installation)
        case registration(Registration)
    }

    let content: Content
    let version: Int
    let parts: SharedParts
    /// The device's own tags in lower case, without those derived from its ids.
    let tags: [String]
    /// Seconds since 1970 after which it gets no pushes; infinite: never.
    let expires: Double
    /// Made by `SyntheticDevices` and unchanged since, so the state file leaves it out.
    let isSeed: Bool

    init(_ content: Content, version: Int, parts: SharedParts, tags: [String], isSeed: Bool) {
        self.content = content
        self.version = version
        self.parts = parts
        self.tags = tags
        self.isSeed = isSeed
        let expiry: String? =
            switch content {
            case .installation(let installation): installation.expirationTime
            case .registration(let registration): registration.expirationTime
            }
        expires = expiry.flatMap(Expiry.init)?.seconds ?? .infinity
    }

    /// The installation's id, or the registration's.
    var id: String {
        switch content {
        case .installation(let installation): installation.installationId
        case .registration(let registration): registration.id
        }
    }

    var platform: Installation.Platform {
        switch content {
        case .installation(let installation): installation.platform
        case .registration(let registration): registration.platform
        }
    }

    var variables: [String: String] {
        switch content {
        case .installation(let installation): installation.pushVariables ?? [:]
        case .registration(let registration): registration.pushVariables ?? [:]
        }
    }

    /// The topics at an FCM sender.
    var topics: [String] {
        if case .installation(let installation) = content { installation.topics ?? [] } else { [] }
    }

    /// The code of the language it is set to, guessed as for the page; nil: unknown.
    var languageCode: String? {
        switch content {
        case .installation(let installation): DeviceLanguage(of: installation)?.code
        case .registration(let registration): DeviceLanguage(of: Installation(registration))?.code
        }
    }

    func channel(of part: SharedParts.Part) -> String {
        switch content {
        case .installation(let installation):
            if let tile = part.tile, let content = installation.secondaryTiles?[tile] { return content.pushChannel }
            return installation.pushChannel.text
        case .registration(let registration): return registration.channel.text
        }
    }

    /// `$UserId:{...}` in lower case, for a device with a user.
    var userTag: String? {
        guard case .installation(let installation) = content, let user = installation.userId, !user.isEmpty else {
            return nil
        }
        return "$userid:{\(user.lowercased())}"
    }

    /// `$InstallationId:{...}` in lower case; nil for a registration.
    var idTag: String? {
        guard case .installation(let installation) = content else { return nil }
        return "$installationid:{\(installation.installationId.lowercased())}"
    }

    /// - Parameter tag: in lower case.
    func has(_ tag: String, in part: SharedParts.Part) -> Bool {
        if part.tags.contains(tag) || part.tile == nil && tags.contains(tag) { return true }
        return tag.hasPrefix("$") && (tag == idTag || tag == userTag)
    }

    func registration(of part: SharedParts.Part) -> Registration {
        switch content {
        case .installation(let installation): Registration(part, of: installation, version: version)
        case .registration(let registration): registration
        }
    }

    func cursor(of part: SharedParts.Part) -> RegistrationCursor { RegistrationCursor(device: id, template: part.key) }
}
