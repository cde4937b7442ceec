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

    private static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { isLower(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isWord(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") }
}
