import Signing

/// What the names in a hub's entry may look like. Pure.
enum HubRules {
    /// The name backends write into `push.message.hub`. It becomes part of variable, file and metric names.
    static func isName(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLower($0) || isDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }

    /// The hub's name at the service, as it stands in the URL (docs/wire/notification-hubs.md, "Connection strings").
    static func isHubName(_ text: String) -> Bool {
        (1...260).contains(text.utf8.count)
            && text.utf8.allSatisfy { isWord($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
            && text != "." && text != ".."
    }

    static func isLanguageWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { isWord($0) || $0 == UInt8(ascii: "-") }
    }

    static func isPropertyPattern(_ text: String) -> Bool {
        text.ranges(of: "{property}").count == 1 && text.ranges(of: "{language}").count == 1
    }

    /// A tag has at most 120 characters (Notification Hubs), and a zone's name at most 40.
    static func isZoneTag(_ text: String) -> Bool {
        let parts = text.split(separator: "{zone}", omittingEmptySubsequences: false)
        let others = Set("@#.:-".utf8)
        return parts.count == 2 && parts[0].utf8.count <= 60 && parts[1].utf8.count <= 20
            && parts.allSatisfy { $0.utf8.allSatisfy { isWord($0) || others.contains($0) } }
    }

    /// The id of a Google Cloud project as it stands in a URL: small letters, digits and dashes, or a number; old ones begin
    /// with a domain (`example.com:shop`).
    static func isProject(_ text: String) -> Bool {
        let others = Set("-.:".utf8)
        guard let first = text.utf8.first, isLower(first) || isDigit(first) else { return false }
        return text.utf8.count <= 100 && text.utf8.allSatisfy { isLower($0) || isDigit($0) || others.contains($0) }
    }

    /// A topic of FCM, without `/topics/` before it (FirebaseMessaging.subscribeToTopic, reference for Android).
    static func isTopic(_ text: String) -> Bool {
        let others = Set("-_.~%".utf8)
        return (1...900).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || others.contains($0) }
    }

    /// Where a service is, in lower case and without a slash at the end: `https://host[:port]`, or `http://` on loopback.
    /// nil for another text, also for one with a path, which would get into every URL.
    static func endpoint(_ text: String) -> String? {
        // The loss is meant: the key's rule says all that the error would.
        guard let address = try? WebAddress(text) else { return nil }
        return address.text.utf8.count { $0 == UInt8(ascii: "/") } == 2 ? address.text : nil
    }

    /// The same for an editor.
    static let endpointPattern =
        #"^(https://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])|http://(localhost|127(\.[0-9]{1,3}){3}|\[::1\]))(:[0-9]{1,5})?/?$"#

    private static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { isLower(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isWord(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") }
}
