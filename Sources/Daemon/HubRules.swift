/// What names in a hub's entry may look like. Pure.
enum HubRules {
    /// What backends write into `push.message.hub`: it becomes part of variable, file and metric names.
    static func isName(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLower($0) || isDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }

    /// The hub's name at the service; it stands in the URL as it is (notification-hubs.md section 1).
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

    /// The shape of a BCP 47 tag: language, then script, region and variants, each once at most and in this order
    /// (RFC 5646 section 2.1). Extensions and private use have no place in a property name.
    static func isLocale(_ text: String) -> Bool {
        var parts = text.split(separator: "-", omittingEmptySubsequences: false)[...]
        guard let language = parts.popFirst(), (2...3).contains(language.utf8.count), language.utf8.allSatisfy(isLetter)
        else { return false }
        if let script = parts.first, script.utf8.count == 4, script.utf8.allSatisfy(isLetter) { parts.removeFirst() }
        if let region = parts.first,
            region.utf8.count == 2 && region.utf8.allSatisfy(isLetter)
                || region.utf8.count == 3 && region.utf8.allSatisfy(isDigit)
        {
            parts.removeFirst()
        }
        return parts.allSatisfy { variant in
            let isLong = (5...8).contains(variant.utf8.count)
            let isDated = variant.utf8.count == 4 && variant.utf8.first.map(isDigit) == true
            return (isLong || isDated) && variant.utf8.allSatisfy { isLetter($0) || isDigit($0) }
        }
    }

    private static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { isLower(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isWord(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") }
}
