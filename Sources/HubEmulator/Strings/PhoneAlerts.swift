import PushModel

/// The texts that phones show of one send. Phones of one platform and language show the same one.
struct PhoneAlerts: Sendable {
    private struct Key: Hashable {
        let payload: String
        let platform: Installation.Platform
        let language: String?
    }

    /// A text that phones looked up in vain.
    struct Unknown: Hashable {
        let key: String
        /// nil: the phone's language is not known.
        let language: String?
    }

    /// A text that has more places than the message has arguments.
    struct Unfilled: Hashable {
        let key: String
        let language: String?
        let needs: Int
        let has: Int
    }

    private let strings: StringsFile?
    private let categories: CategoriesFile?
    private let isByPlatform: Bool
    private var alerts: [Key: AlertText?] = [:]
    private(set) var unknown: Set<Unknown> = []
    private(set) var unfilled: Set<Unfilled> = []
    /// By payload.
    private var buttons: [String: [NotificationButton]?] = [:]
    /// Categories that no phone knows.
    private(set) var unknownCategories: Set<String> = []

    /// - Parameters:
    ///   - strings: nil: phones have no texts, so that a payload with keys alone shows what `AlertText` finds.
    ///   - isByPlatform: whether one payload holds what each platform shows, as FCM's does. Its keys are always looked up.
    init(_ strings: StringsFile?, categories: CategoriesFile? = nil, isByPlatform: Bool = false) {
        self.strings = strings
        self.categories = categories
        self.isByPlatform = isByPlatform
    }

    /// What a phone shows: the text of the payload, or that of its app for the payload's keys; nil: nothing.
    ///
    /// - Parameter language: read only when the payload has a key.
    mutating func alert(
        _ payload: PayloadCache.Payload, on platform: Installation.Platform, language: @autoclosure () -> String?
    ) -> AlertText? {
        guard isByPlatform || strings != nil && payload.mayHaveKeys else { return payload.alert }
        let key = Key(
            payload: payload.text, platform: platform, language: payload.mayHaveKeys ? language() : nil)
        if let known = alerts[key] { return known }
        let texts = PhoneTexts(strings: strings, language: key.language)
        let preview = NotificationPreview(payload.text, platform: platform, texts: texts)
        note(preview.lookedUp, texts)
        // Without a key, what the payload says itself stays as `AlertText` reads it.
        let alert = preview.lookedUp.isEmpty && !isByPlatform ? payload.alert : AlertText(preview)
        alerts[key] = alert
        return alert
    }

    /// The buttons below a push on a phone; nil: none.
    mutating func buttons(_ payload: PayloadCache.Payload, on platform: Installation.Platform) -> [NotificationButton]?
    {
        guard platform == .apns, payload.mayHaveCategory else { return nil }
        if let known = buttons[payload.text] { return known }
        var found: [NotificationButton]?
        if let category = NotificationPreview(payload.text, platform: .apns).category {
            found = categories?.buttons(of: category)
            if found == nil { unknownCategories.insert(category) }
        }
        if found?.isEmpty == true { found = nil }
        buttons[payload.text] = .some(found)
        return found
    }

    private mutating func note(_ lookedUp: [LocalisedText], _ texts: PhoneTexts) {
        for text in lookedUp {
            guard let format = texts.format(of: text) else {
                unknown.insert(Unknown(key: text.key, language: texts.language))
                continue
            }
            guard format.argumentCount > text.arguments.count else { continue }
            unfilled.insert(
                Unfilled(
                    key: text.key, language: texts.language, needs: format.argumentCount, has: text.arguments.count))
        }
    }
}
