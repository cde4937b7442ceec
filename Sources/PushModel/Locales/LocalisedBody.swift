/// The one body that carries every language of a content (docs/storage.md, "Plan").
///
/// A language takes each property from the first row that has it: the rows along its own chain (`fr-CA`, `fr`), then
/// those along the fallback's, then the row without locale.
struct LocalisedBody {
    private let translations: Translations
    private let notes: PlanNotes?
    /// The properties that have a translation, by where each appears first; that place also decides how its name is
    /// written.
    private var properties: [(row: Int, member: Int)] = []
    /// The member of a row that holds a property, at property × rows + row.
    private var members: [Int?] = []
    private var writer: StringObjectWriter

    init(_ translations: Translations, _ notes: PlanNotes? = nil) {
        self.translations = translations
        self.notes = notes
        let bytes = translations.rows.reduce(0) { $0 + $1.object.bytes.count }
        let copies = (translations.languages.all.count + 2) / translations.rows.count + 1
        writer = StringObjectWriter(capacity: min(bytes * copies, translations.hub.kind.facts.bodyBytes))
        findProperties()
    }

    /// - Parameter notes: gets which row gives which language, and which languages the fallback fills.
    /// - Throws: `no_fallback` when a language would get no text at all, `not_sendable` when two properties would have
    ///   the same name, `too_large`.
    static func bytes(of translations: Translations, _ notes: PlanNotes? = nil) throws(Unsendable) -> [UInt8] {
        var body = LocalisedBody(translations, notes)
        return try body.write()
    }

    private mutating func findProperties() {
        let rows = translations.rows
        var known: [[UInt8]: Int] = [:]
        for (row, object) in rows.map(\.object).enumerated() where rows[row].locale != nil {
            for member in object.members.indices {
                let name = object.foldedName(member)
                if let property = known[name] {
                    members[property * rows.count + row] = member
                } else {
                    known[name] = properties.count
                    properties.append((row, member))
                    members += Array(repeating: nil, count: rows.count)
                    members[members.count - rows.count + row] = member
                }
            }
        }
        guard let plain = translations.plain, !known.isEmpty else { return }
        for member in rows[plain].object.members.indices {
            guard let property = known[rows[plain].object.foldedName(member)] else { continue }
            members[property * rows.count + plain] = member
        }
    }

    private mutating func write() throws(Unsendable) -> [UInt8] {
        try checkNameLengths()
        writePlain()
        var empty: [HubLanguages.Language] = []
        for language in translations.languages.all {
            var isEmpty = !properties.isEmpty
            for property in properties.indices {
                guard let value = value(property, language) ?? plainValue(property, language) else { continue }
                isEmpty = false
                writer.append(raw: name(property), prefix: language.prefix, suffix: language.suffix, value: value)
            }
            if isEmpty { empty.append(language) }
        }
        if !empty.isEmpty { throw noFallback(empty) }
        if let name = writer.firstDuplicate {
            throw Unsendable(
                "content", nil, "the property \(name.quoted) would appear twice once languages are added to the names")
        }
        let body = writer.finish()
        let limit = translations.hub.kind.facts.bodyBytes
        if body.count > limit {
            throw Unsendable(
                reason: .tooLarge,
                "content: with \(translations.languages.all.count) languages the body has \(body.count) bytes, "
                    + "a request takes at most \(limit)")
        }
        return body
    }

    /// Adding a language can make a name too long.
    private func checkNameLengths() throws(Unsendable) {
        guard let longest = translations.languages.all.max(by: { $0.length < $1.length }) else { return }
        for property in properties.indices where name(property).count + longest.length > Message.propertyNameLimit {
            let text = JSONText.decode(name(property))
            guard text.count + longest.length > Message.propertyNameLimit else { continue }
            throw Unsendable(
                "content", nil,
                "the name of the property \(text.quoted) has \(text.count + longest.length) characters once "
                    + "\(longest.word) is added to it, at most \(Message.propertyNameLimit) are allowed")
        }
    }

    /// The properties without a language in their name: the row without locale, then what only the fallback has.
    private mutating func writePlain() {
        if let plain = translations.plain {
            let object = translations.rows[plain].object
            for member in object.members.indices {
                writer.append(raw: object.rawName(member), value: object.rawValue(member))
            }
        }
        guard translations.hub.plainFallback else { return }
        for property in properties.indices where plainValue(property) == nil {
            guard let found = value(property, translations.languages.fallbackOrder) else { continue }
            writer.append(raw: name(property), value: found.value)
        }
    }

    private func name(_ property: Int) -> ArraySlice<UInt8> {
        let (row, member) = properties[property]
        return translations.rows[row].object.rawName(member)
    }

    /// The value that a language takes from the rows along its own chain, then from those along the fallback's.
    private func value(_ property: Int, _ language: HubLanguages.Language) -> ArraySlice<UInt8>? {
        guard let found = value(property, language.order) else { return nil }
        let isOwn = found.place < language.order.count - translations.languages.fallbackOrder.count
        if isOwn {
            notes?.gives(language.word, from: translations.rows[found.row].message)
        } else {
            notes?.fills(language.word)
        }
        return found.value
    }

    private func plainValue(_ property: Int, _ language: HubLanguages.Language) -> ArraySlice<UInt8>? {
        guard let value = plainValue(property) else { return nil }
        notes?.fills(language.word)
        return value
    }

    /// The first row that has a property, and its place in the order.
    private func value(_ property: Int, _ order: [Int]) -> (value: ArraySlice<UInt8>, row: Int, place: Int)? {
        for (place, number) in order.enumerated() {
            if let row = translations.rowForLocale[number], let value = value(property, row: row) {
                return (value, row, place)
            }
        }
        return nil
    }

    private func plainValue(_ property: Int) -> ArraySlice<UInt8>? {
        guard let plain = translations.plain else { return nil }
        return value(property, row: plain)
    }

    private func value(_ property: Int, row: Int) -> ArraySlice<UInt8>? {
        members[property * translations.rows.count + row].map { translations.rows[row].object.rawValue($0) }
    }

    private func noFallback(_ empty: [HubLanguages.Language]) -> Unsendable {
        let missing = empty.map { "\($0.locale) (\($0.word))" }.joined(separator: ", ")
        let names = properties.indices.prefix(5).map { JSONText.decode(name($0)).quoted }.joined(separator: ", ")
        let remedy =
            translations.languages.fallback.map { "add a translation for \($0), the hub's fallback," }
            ?? "add a translation for each of them, set hubs.\(translations.hub.name).fallback,"
        return Unsendable(
            reason: .noFallback,
            "content: nothing to show in \(missing); \(remedy) or add a row without locale that has \(names)")
    }
}
