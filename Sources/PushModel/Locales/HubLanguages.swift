/// The languages of a hub that localises by property, prepared once for many contents.
///
/// Numbers every locale that a content may have a row for, so that planning compares numbers instead of texts.
struct HubLanguages {
    struct Language {
        let locale: LocaleTag
        /// The word in property names: `French`.
        let word: String
        /// The numbers of the locales that can supply its text: along its own chain, then along the fallback's.
        let order: [Int]
        /// What the pattern adds before and after a property's name, escaped for JSON.
        let prefix: [UInt8], suffix: [UInt8]
        /// Characters the pattern adds to a name.
        let length: Int
    }

    /// Sorted by locale, so that the same content always makes the same body. May be empty.
    let all: [Language]
    /// nil: the hub has no fallback.
    let fallback: LocaleTag?
    /// The numbers along the fallback's chain.
    let fallbackOrder: [Int]
    /// Of the languages, the fallback, and the less specific forms of both.
    let numbers: [LocaleTag: Int]
    /// The languages and the fallback themselves.
    let own: Set<LocaleTag>

    /// - Throws: when a setting of the hub is unusable; the text names its key.
    init(_ hub: HubSettings) throws(Unsendable) {
        guard let placeholder = hub.propertyPattern.firstRange(of: "{property}") else {
            throw Unsendable("hubs.\(hub.name).propertyPattern", hub.propertyPattern, "it does not contain {property}")
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
                prefix: HubLanguages.escaped(hub.propertyPattern[..<placeholder.lowerBound], word),
                suffix: HubLanguages.escaped(hub.propertyPattern[placeholder.upperBound...], word),
                length: hub.propertyPattern.replacing(scalars: "{property}", with: "")
                    .replacing(scalars: "{language}", with: word).count)
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
        JSONText.append(part.replacing(scalars: "{language}", with: language), to: &bytes)
        return bytes
    }
}
