/// The languages of a hub that localises by property, prepared once for many contents.
///
/// Every locale that a content may have a row for is numbered, so that planning compares numbers and no texts.
struct HubLanguages {
    struct Language {
        let locale: LocaleTag
        /// The word in property names: `French`.
        let word: String
        /// The numbers of the locales that may speak for it: along its own chain, then along the fallback's.
        let order: [Int]
        /// What stands before and after a property's name, escaped for JSON.
        let prefix: [UInt8], suffix: [UInt8]
        /// Characters it adds to a name.
        let length: Int
    }

    /// By locale, so that the same content always makes the same body. May be empty.
    let all: [Language]
    /// The hub's fallback; nil: it has none.
    let fallback: LocaleTag?
    /// The numbers along the fallback's chain.
    let fallbackOrder: [Int]
    /// The languages, the fallback, and the less special forms of both.
    let numbers: [LocaleTag: Int]
    /// The languages and the fallback themselves.
    let own: Set<LocaleTag>

    /// - Throws: when a setting of the hub cannot be used; the text names its key.
    init(_ hub: HubSettings) throws(Unsendable) {
        guard let hole = hub.propertyPattern.firstRange(of: "{property}") else {
            throw Unsendable("hubs.\(hub.name).propertyPattern", hub.propertyPattern, "it lacks {property}")
        }
        var words: [(locale: LocaleTag, word: String)] = []
        for (name, word) in hub.languages {
            words.append((try HubLanguages.locale(name, "hubs.\(hub.name).languages"), word))
        }
        words.sort { $0.locale.text < $1.locale.text }
        if let name = hub.fallback {
            fallback = try HubLanguages.locale(name, "hubs.\(hub.name).fallback")
        } else {
            fallback = nil
        }
        own = Set(words.map(\.locale)).union(fallback.map { [$0] } ?? [])
        var numbers: [LocaleTag: Int] = [:]
        func number(_ chain: [LocaleTag]) -> [Int] {
            chain.map { locale in
                let number = numbers[locale] ?? numbers.count
                numbers[locale] = number
                return number
            }
        }
        let fallbackOrder = number(fallback?.chain ?? [])
        self.fallbackOrder = fallbackOrder
        all = words.map { locale, word in
            Language(
                locale: locale, word: word, order: number(locale.chain) + fallbackOrder,
                prefix: HubLanguages.escaped(hub.propertyPattern[..<hole.lowerBound], word),
                suffix: HubLanguages.escaped(hub.propertyPattern[hole.upperBound...], word),
                length: hub.propertyPattern.replacing("{property}", with: "").replacing("{language}", with: word).count)
        }
        self.numbers = numbers
    }

    private static func locale(_ name: String, _ key: String) throws(Unsendable) -> LocaleTag {
        do throws(LocaleError) {
            return try LocaleTag(name)
        } catch {
            throw Unsendable(key, name, error.rule)
        }
    }

    private static func escaped(_ part: Substring, _ language: String) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONText.append(String(part.replacing("{language}", with: language)), to: &bytes)
        return bytes
    }
}
