/// A locale by its BCP 47 name: `fr`, `fr-CA`, `zh-Hant-TW`.
///
/// Checks the shape (RFC 5646 section 2.1), not whether the parts are registered. Comparison ignores case; `text` has
/// the customary case. The irregular names from before 2006 (`i-klingon`) are refused.
public struct LocaleTag: Sendable, Hashable, CustomStringConvertible {
    /// The most characters a locale may have.
    public static let lengthLimit = 64

    /// In the customary case: `zh-Hant-TW`.
    public let text: String

    public var description: String { text }

    /// - Throws: `LocaleError` with the rule broken.
    public init(_ text: String) throws(LocaleError) {
        if text.isEmpty { throw LocaleError("it is empty; leave it null for a content without language") }
        if text.utf8.count > LocaleTag.lengthLimit {
            throw LocaleError("it has more than \(LocaleTag.lengthLimit) characters")
        }
        if text.utf8.contains(UInt8(ascii: "_")) {
            throw LocaleError("\"_\" is not allowed; the parts of a BCP 47 name are joined by \"-\", as in fr-CA")
        }
        let parts = text.lowercased().utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard LocaleShape.matches(parts.map(Array.init)) else {
            throw LocaleError("it is not a BCP 47 name, such as fr, fr-CA or zh-Hant-TW")
        }
        self.init(lowerCase: parts.map { String($0) ?? "" })
    }

    private init(lowerCase parts: [String]) {
        var inExtension = false
        text = parts.enumerated().map { index, part in
            defer { if part.utf8.count == 1 { inExtension = true } }
            guard index > 0, !inExtension, part.utf8.allSatisfy({ $0 >= UInt8(ascii: "a") }) else { return part }
            return switch part.utf8.count {
            case 2: part.uppercased()
            case 4: part.prefix(1).uppercased() + part.dropFirst()
            default: part
            }
        }.joined(separator: "-")
    }

    private init(checked text: String) {
        self.text = text
    }

    /// From itself to the bare language: `zh-Hant-TW`, `zh-Hant`, `zh` (RFC 4647 section 3.4, lookup).
    public var chain: [LocaleTag] {
        var parts = text.split(separator: "-")
        var chain = [self]
        while parts.count > 1 {
            parts.removeLast()
            // A single letter only introduces the part after it.
            while parts.count > 1, parts[parts.count - 1].utf8.count == 1 { parts.removeLast() }
            chain.append(LocaleTag(checked: parts.joined(separator: "-")))
        }
        return chain
    }

    /// The tag that devices of this language register on hubs that localise by tags: `locale_fr`, `locale_zh-Hant`.
    public var tag: String { "locale_" + text }
}

/// The grammar of RFC 5646 section 2.1 over lower-case parts.
private enum LocaleShape {
    static func matches(_ parts: [[UInt8]]) -> Bool {
        var rest = parts[...]
        guard rest.allSatisfy({ (1...8).contains($0.count) && $0.allSatisfy(isLetterOrDigit) }) else { return false }
        if rest.first != [UInt8(ascii: "x")] {
            guard takeLanguage(&rest) else { return false }
            if rest.first.map(isScript) == true { rest.removeFirst() }
            if rest.first.map(isRegion) == true { rest.removeFirst() }
            while rest.first.map(isVariant) == true { rest.removeFirst() }
            while let singleton = rest.first, singleton.count == 1, singleton != [UInt8(ascii: "x")] {
                rest.removeFirst()
                guard rest.first.map({ $0.count >= 2 }) == true else { return false }
                while rest.first.map({ $0.count >= 2 }) == true { rest.removeFirst() }
            }
        }
        // Private use: `x`, then anything.
        if rest.first == [UInt8(ascii: "x")] { return rest.count > 1 }
        return rest.isEmpty
    }

    private static func takeLanguage(_ rest: inout ArraySlice<[UInt8]>) -> Bool {
        guard let language = rest.first, language.count >= 2, language.allSatisfy(isLetter) else { return false }
        rest.removeFirst()
        guard language.count <= 3 else { return true }
        for _ in 0..<3 {
            guard let next = rest.first, next.count == 3, next.allSatisfy(isLetter) else { break }
            rest.removeFirst()
        }
        return true
    }

    private static func isScript(_ part: [UInt8]) -> Bool { part.count == 4 && part.allSatisfy(isLetter) }

    private static func isRegion(_ part: [UInt8]) -> Bool {
        part.count == 2 ? part.allSatisfy(isLetter) : part.count == 3 && part.allSatisfy(isDigit)
    }

    private static func isVariant(_ part: [UInt8]) -> Bool { part.count >= 5 || (part.count == 4 && isDigit(part[0])) }

    private static func isLetter(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }
}

/// Why a text is not a locale.
public struct LocaleError: Error, Equatable, CustomStringConvertible {
    /// The rule broken, in plain words.
    public let rule: String

    init(_ rule: String) {
        self.rule = rule
    }

    public var description: String { rule }
}
