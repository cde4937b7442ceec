/// What a run of a campaign says, in all its languages: one row of `push.run_content`. Its messages
/// name their stream and have only what is their recipient's own.
public struct RunContent: Sendable, Equatable {
    /// `push.run_content.id`.
    public let id: Int64
    /// As `Message.format`.
    public let format: String
    /// As `Message.headers`, with placeholders as in texts.
    let headers: PersonalText?
    /// The locale for recipients whose language is missing; nil: the hub's.
    public let fallback: String?
    /// By locale; under `""` what all languages share, or the only content.
    let texts: [String: PersonalText]
    /// The locales in one order, without `""`, so that the same content always makes the same body.
    let locales: [String]

    /// - Parameter texts: JSON by locale, as in `push.run_content.content`.
    public init(id: Int64, format: String, headers: String? = nil, fallback: String? = nil, texts: [String: String]) {
        self.id = id
        self.format = format
        self.headers = headers.map { PersonalText(Array($0.utf8)) }
        self.fallback = fallback
        self.texts = texts.mapValues { PersonalText(Array($0.utf8)) }
        locales = texts.keys.filter { !$0.isEmpty }.sorted()
    }

    /// The locale whose text a recipient gets: its own, a less specific form of it, the fallback, else `""`.
    ///
    /// - Parameter fallback: of the hub, where the content names none.
    /// - Returns: nil: the content has no text for it.
    func locale(for recipient: LocaleTag?, fallback hub: String?) -> String? {
        for wanted in recipient?.chain ?? [] {
            if let known = known(wanted.text) { return known }
        }
        if let known = (fallback ?? hub).flatMap(known) { return known }
        return texts[""] == nil ? nil : ""
    }

    /// The locales that it has a text for, in order.
    public var languages: [String] { locales }

    /// The names of the placeholders in texts and headers, each once in alphabetical order; case does not count.
    public var placeholders: [String] {
        let names = (texts.values.flatMap(\.names) + (headers?.names ?? [])).sorted()
        var seen: Set<String> = []
        return names.filter { seen.insert($0.lowercased()).inserted }
    }

    /// The language whose text somebody of another one reads, for want of a text of their own; empty: what all languages share.
    ///
    /// - Returns: nil: it has a text for them, or none at all.
    package func fallback(for recipient: String, on hub: HubSettings) -> String? {
        // What is not a locale has no text: `try?` says so.
        guard !locales.isEmpty, let tag = try? LocaleTag(recipient),
            !tag.chain.contains(where: { known($0.text) != nil })
        else { return nil }
        return locale(for: nil, fallback: fallback ?? hub.fallback)
    }

    /// Whether one body carries all its languages there, and no recipient's locale chooses.
    func isInOneBody(on hub: HubSettings) -> Bool {
        format == "template" && hub.localization == .properties && !locales.isEmpty
    }

    private func known(_ locale: String) -> String? {
        let wanted = locale.lowercased()
        return locales.first { $0.lowercased() == wanted }
    }
}
