/// The rows of one content on a hub that localises by property: which row provides which language.
///
/// The row with exactly that locale provides a language; without one, the first row with a more specific locale does
/// (`fr-CA` for `fr`). A row with a less specific locale (`fr` for `fr-CA`) fills in what is missing.
struct Translations {
    struct Row {
        let message: Int64
        let locale: LocaleTag?
        let object: StringObject
    }

    let hub: HubSettings
    let languages: HubLanguages
    private(set) var rows: [Row] = []
    /// The index of the row without locale.
    private(set) var plain: Int?
    /// The index of the row that provides a locale, by the number of the locale in `languages`.
    private(set) var rowForLocale: [Int?]

    init(_ hub: HubSettings, _ languages: HubLanguages) {
        self.hub = hub
        self.languages = languages
        rowForLocale = Array(repeating: nil, count: languages.numbers.count)
    }

    /// Adds a row whose locale is null, one of the hub's, or a less specific form of one.
    ///
    /// - Returns: false when the locale is unmatched; pass such rows to `assignFallback` after all others.
    /// - Throws: when another row has the same locale, or the hub has no languages at all.
    mutating func add(_ row: Row) throws(Unsendable) -> Bool {
        guard let locale = row.locale else {
            if let plain { throw Translations.twice("null", rows[plain].message) }
            plain = rows.count
            rows.append(row)
            return true
        }
        if languages.all.isEmpty {
            throw Unsendable(
                "locale", locale.text,
                "hub \(hub.name) has no languages configured; set hubs.\(hub.name).languages "
                    + "or hubs.\(hub.name).localization \"tags\"")
        }
        guard let number = languages.numbers[locale] else { return false }
        if let first = rowForLocale[number] { throw Translations.twice(locale.text, rows[first].message) }
        rowForLocale[number] = rows.count
        rows.append(row)
        return true
    }

    /// Adds a row whose locale the hub does not know, for the nearest language that no row provides yet.
    ///
    /// - Throws: when no such language is left: the row's text could not reach a device.
    mutating func assignFallback(_ row: Row) throws(Unsendable) {
        guard let nearest = row.locale?.chain.first(where: languages.own.contains),
            let number = languages.numbers[nearest]
        else {
            let known = languages.all.map(\.locale.text).joined(separator: ", ")
            throw Unsendable("locale", row.locale?.text, "hub \(hub.name) has no such language; it has \(known)")
        }
        if let first = rowForLocale[number] {
            throw Unsendable(
                "locale", row.locale?.text,
                "hub \(hub.name) has no language for it, and message \(rows[first].message) already provides \(nearest)"
            )
        }
        rowForLocale[number] = rows.count
        rows.append(row)
    }

    private static func twice(_ locale: String, _ message: Int64) -> Unsendable {
        Unsendable("locale", nil, "\(locale) appears twice in one content, first in message \(message)")
    }
}
