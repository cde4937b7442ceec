/// Which language the name of a property is for, by the pattern of a hub that localises by property.
struct LanguageNames {
    struct Language: Equatable {
        /// `fr`
        let locale: String
        /// `French`
        let word: String
        /// What stands around the property, in lower case.
        fileprivate let prefix: String, suffix: String
    }

    /// In the order of their locales; none where a hub writes no languages into names.
    let all: [Language]

    init(_ hub: HubSettings) {
        guard hub.localization == .properties, hub.kind.facts.takesTemplates,
            let place = hub.propertyPattern.firstRange(of: "{property}")
        else {
            all = []
            return
        }
        let parts = (hub.propertyPattern[..<place.lowerBound], hub.propertyPattern[place.upperBound...])
        all = hub.languages.sorted { $0.key < $1.key }.map { locale, word in
            func filled(_ part: Substring) -> String {
                part.replacing(scalars: "{language}", with: word).lowercased()
            }
            return Language(locale: locale, word: word, prefix: filled(parts.0), suffix: filled(parts.1))
        }
    }

    /// The language of a property, and its name without it. Of several words that fit, the longest.
    func parts(of name: String) -> (language: Language, base: String)? {
        let folded = name.lowercased()
        let fitting = all.filter { language in
            folded.utf8.count > language.prefix.utf8.count + language.suffix.utf8.count
                && folded.hasPrefix(language.prefix) && folded.hasSuffix(language.suffix)
        }
        guard let language = fitting.max(by: { $0.word.utf8.count < $1.word.utf8.count }) else { return nil }
        return (language, String(name.dropFirst(language.prefix.count).dropLast(language.suffix.count)))
    }

    /// The language that a phone with this one shows: its own, a less specific form of it, else the hub's fallback.
    func nearest(to locale: String, fallback: String?) -> Language? {
        func known(_ tag: LocaleTag) -> Language? {
            all.first { (try? LocaleTag($0.locale)) == tag }
        }
        let chains = [locale, fallback].compactMap { $0.flatMap { try? LocaleTag($0) }?.chain }
        return chains.joined().lazy.compactMap(known).first
    }
}
