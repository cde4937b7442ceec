/// The rows of one content on a hub that localises by property: which row speaks for which language.
///
/// For a language speaks the row with just that locale or, when there is none, the first row with a more special one
/// (`fr-CA` for `fr`). A row with a less special locale (`fr` for `fr-CA`) stands by for what is missing.
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
    /// The index of the row that speaks for a locale, by the number the locale has in `languages`.
    private(set) var speakers: [Int?]

    init(_ hub: HubSettings, _ languages: HubLanguages) {
        self.hub = hub
        self.languages = languages
        speakers = Array(repeating: nil, count: languages.numbers.count)
    }

    /// Adds a row whose locale is null, one of the hub's, or a less special form of one.
    ///
    /// - Returns: false when the locale is none of these: `adopt` decides about it when all others are in.
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
        if let first = speakers[number] { throw Translations.twice(locale.text, rows[first].message) }
        speakers[number] = rows.count
        rows.append(row)
        return true
    }

    /// Adds a row with a locale that the hub does not know, for the nearest language that nobody speaks for yet.
    ///
    /// - Throws: when there is none: the row's text could reach no device.
    mutating func adopt(_ row: Row) throws(Unsendable) {
        guard let home = row.locale?.chain.first(where: languages.own.contains), let number = languages.numbers[home]
        else {
            let known = languages.all.map(\.locale.text).joined(separator: ", ")
            throw Unsendable("locale", row.locale?.text, "hub \(hub.name) has no such language; it has \(known)")
        }
        if let first = speakers[number] {
            throw Unsendable(
                "locale", row.locale?.text,
                "hub \(hub.name) has no word for it, and message \(rows[first].message) already speaks for \(home)")
        }
        speakers[number] = rows.count
        rows.append(row)
    }

    private static func twice(_ locale: String, _ message: Int64) -> Unsendable {
        Unsendable("locale", nil, "\(locale) stands twice in one content, first in message \(message)")
    }
}
