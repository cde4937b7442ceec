extension Planner {
    /// A body that several recipients of a run get.
    struct RunBody: Hashable {
        let content: Int64
        /// The locale whose text it is; nil: all languages are in it.
        let locale: String?
    }

    /// The post of one recipient of a run: what the run says, in its language, with what is its own.
    ///
    /// Where the hub localises by property and the content has languages, one body carries all of them, as for plain
    /// messages, and what is under `""` and the recipient's own stand beside them without a language. Everywhere else the
    /// recipient's locale chooses the text.
    ///
    /// - Throws: why the recipient cannot be reached.
    mutating func post(_ message: Message, of content: RunContent) throws(Unsendable) -> Post {
        var target = try message.target.checked(for: hub)
        let recipient = try locale(of: message)
        if hub.localization == .tags, let recipient, !message.isDirect { target = try target.narrowed(to: recipient) }
        let payload = try payload(of: message, in: recipient, saying: content)
        try message.checkDirect(payload.headers)
        return Post(
            messages: [message.id], target: target, format: content.format, headers: payload.headers, body: payload.body
        )
    }

    private mutating func payload(
        of message: Message, in recipient: LocaleTag?, saying content: RunContent
    ) throws(Unsendable) -> Payload {
        let isLocalised =
            content.format == "template" && hub.localization == .properties && !content.locales.isEmpty
        var locale: String?
        if !isLocalised {
            guard let chosen = content.locale(for: recipient) else {
                throw Unsendable(
                    "locale", message.locale,
                    "the content has no text for it and no fallback; it has "
                        + content.locales.joined(separator: ", "))
            }
            locale = chosen
        }
        let texts = (locale.map { [$0, ""] } ?? content.locales + [""]).compactMap { content.texts[$0] }
        let own = message.content == "{}" ? nil : try message.properties()
        let isShared = own == nil && !texts.contains(where: \.isPersonal)
        let key = RunBody(content: content.id, locale: locale)
        if isShared, let known = runBodies[key] { return known }
        let headers = try ProviderHeaders.read(content.headers, format: content.format, isDirect: message.isDirect)
        let payload: Payload
        if let locale {
            payload = try self.payload(content, locale, own, headers)
        } else {
            payload = Payload(body: try localisedBody(of: message, saying: content, own), headers: headers)
        }
        if isShared { runBodies[key] = payload }
        return payload
    }

    /// One text, with what all share and what is the recipient's own.
    private func payload(
        _ content: RunContent, _ locale: String, _ own: StringObject?, _ headers: [Post.Header]
    ) throws(Unsendable) -> Payload {
        guard content.format == "template" else {
            let text = try content.texts[locale]?.filled(from: own) ?? []
            let native = try NativePayload(text, format: content.format, headers: headers)
            return Payload(body: native.body, headers: native.headers)
        }
        var object = try properties(content, locale, own) ?? StringObject.empty
        if !locale.isEmpty, let shared = try properties(content, "", own) { object = object.adding(shared) }
        if let own { object = object.adding(own) }
        return Payload(body: try Message.properties(object.bytes).bytes, headers: headers)
    }

    private mutating func localisedBody(
        of message: Message, saying content: RunContent, _ own: StringObject?
    ) throws(Unsendable) -> [UInt8] {
        var translations = Translations(hub, try preparedLanguages())
        var unmatched: [Translations.Row] = []
        for name in content.locales {
            guard let object = try properties(content, name, own) else { continue }
            let row = Translations.Row(message: message.id, locale: try locale(named: name), object: object)
            if try !translations.add(row) { unmatched.append(row) }
        }
        var plain = try properties(content, "", own)
        if let own { plain = plain?.adding(own) ?? own }
        if let plain { _ = try translations.add(Translations.Row(message: message.id, locale: nil, object: plain)) }
        for row in unmatched { try translations.assignFallback(row) }
        return try LocalisedBody.bytes(of: translations)
    }

    private func properties(
        _ content: RunContent, _ locale: String, _ own: StringObject?
    ) throws(Unsendable) -> StringObject? {
        guard let text = content.texts[locale] else { return nil }
        return try Message.properties(try text.filled(from: own))
    }
}
