import Signing

/// By what a person who signed in is known again. The console keeps nothing: the value names the person and its end,
/// and is signed with a key made of that person's settings. So it survives a restart, and is void when the person's
/// name, rights or password change.
enum SessionCookie {
    /// 12 hours.
    static let seconds = 43_200
    /// A clock that is set back a little ends no session. One that is set back further does: what it signed would last
    /// too long.
    static let clockStep = 300.0

    private static let version = "1"

    /// - Parameter now: seconds since 1970.
    /// - Returns: nil for a person without a password, who cannot sign in.
    static func value(for user: Account, now: Double) -> String? {
        let signed = "\(version).\(Base64.encodeURL(Array(user.person.name.utf8))).\(Int(now) + seconds)"
        return signature(of: signed, user).map { signed + "." + $0 }
    }

    /// - Returns: nil: cut, forged, over, or signed before the person's settings changed.
    static func person(in value: some StringProtocol, of people: People, now: Double) -> Person? {
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == version, let bytes = Base64.decodeURL(parts[1]),
            let name = String(validating: bytes, as: UTF8.self), let user = people[name],
            let expected = signature(of: parts[0..<3].joined(separator: "."), user),
            Secret(String(parts[3])) == Secret(expected), let end = Double(parts[2])
        else { return nil }
        return now < end && end <= now + Double(seconds) + clockStep ? user.person : nil
    }

    private static func signature(of text: String, _ user: Account) -> String? {
        // Without a secret in the key anybody could sign.
        guard let password = user.password else { return nil }
        // Lines: no name has a line end, and no right.
        let settings = ["console session", user.person.name] + user.person.rights.map(\.rawValue).sorted()
        let key = HMAC.sha256(key: Array(password.text.utf8), Array(settings.joined(separator: "\n").utf8))
        return Base64.encodeURL(HMAC.sha256(key: key, Array(text.utf8)))
    }
}
