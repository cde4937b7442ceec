/// A locale by its BCP 47 name: `fr`, `fr-CA`, `zh-Hant-TW`.
///
/// Checks the shape (`LocaleRule`), not whether the parts are registered. Comparison ignores case; `text` has the
/// customary case.
public struct LocaleTag: Sendable, Hashable, CustomStringConvertible {
    /// In the customary case: `zh-Hant-TW`.
    public let text: String

    public var description: String { text }

    /// - Throws: `LocaleError` with the rule broken.
    public init(_ text: String) throws(LocaleError) {
        if text.isEmpty { throw LocaleError("it is empty; leave it null for a content without language") }
        if text.utf8.count > LocaleRule.longest {
            throw LocaleError("it has more than \(LocaleRule.longest) characters")
        }
        if text.utf8.contains(UInt8(ascii: "_")) {
            throw LocaleError("\"_\" is not allowed; the parts of a BCP 47 name are joined by \"-\", as in fr-CA")
        }
        guard LocaleRule.matches(text) else {
            throw LocaleError("it is not a BCP 47 name, such as fr, fr-CA or zh-Hant-TW")
        }
        self.init(lowerCase: text.lowercased().split(separator: "-").map(String.init))
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
        while parts.popLast() != nil {
            // A single letter only introduces the part after it.
            while parts.last?.utf8.count == 1 { parts.removeLast() }
            if !parts.isEmpty { chain.append(LocaleTag(checked: parts.joined(separator: "-"))) }
        }
        return chain
    }

    /// The language of `languages` that a text in this locale is for: the nearest along the chain. Without one, the locale
    /// itself, without extensions and private use.
    func nearest(of languages: some Collection<String>) -> LocaleTag {
        for link in chain {
            let wanted = link.text.lowercased()
            if languages.contains(where: { $0.lowercased() == wanted }) { return link }
        }
        return chain.first { link in link.text.split(separator: "-").allSatisfy { $0.utf8.count > 1 } } ?? self
    }

    /// The tag that devices of this language register on hubs that localise by tags: `locale_fr`, `locale_zh-Hant`.
    public var tag: String { "locale_" + text }
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
