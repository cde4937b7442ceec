extension Planner {
    /// A body that several recipients of a run get.
    struct RunBody: Hashable {
        let content: Int64
        /// The locale whose text it is; nil: all languages are in it.
        let locale: String?
    }

    /// The post of one recipient of a run: what the run says, in its language, filled with what is its own.
    ///
    /// Where the hub localises by property and the content has languages, one body carries all of them, as for plain
    /// messages, and what is under `""` stands beside them without a language. Everywhere else the recipient's locale
    /// chooses the text; on a hub that localises by tags the language of that text is the tag that is added.
    ///
    /// - Throws: why the recipient cannot be reached.
    mutating func post(_ message: Message, of content: RunContent) throws(Unsendable) -> Post {
        try check(content)
        var target = try message.target.checked(for: hub)
        let recipient = try locale(of: message)
        let chosen = try chosenLocale(for: recipient, of: content)
        if hub.localization == .tags, recipient != nil, !message.isDirect, let chosen, !chosen.isEmpty {
            target = try target.narrowed(to: try locale(named: chosen), on: kind)
        }
        let payload = try payload(of: message, in: chosen, saying: content)
        try message.checkDirect(payload.headers)
        return Post(
            messages: [message.id], target: target, format: content.format, headers: payload.headers,
            body: payload.body,
            expiresAt: end(of: message), priority: message.priority)
    }

    /// - Throws: when no hub of this kind could send what the run says.
    private func check(_ content: RunContent) throws(Unsendable) {
        guard !kind.takesTemplates, !kind.formats.contains(content.format) else { return }
        throw Unsendable(
            "format", content.format,
            "hub \(hub.name) is \(kind.label): the run's format must be "
                + kind.formats.joined(separator: ", "))
    }

    /// - Returns: nil: all languages are in one body.
    private func chosenLocale(for recipient: LocaleTag?, of content: RunContent) throws(Unsendable) -> String? {
        if content.isInOneBody(on: hub) { return nil }
        guard let chosen = content.locale(for: recipient, fallback: hub.fallback) else {
            throw Unsendable(
                "locale", recipient?.text,
                "the content has no text for it and no fallback; it has " + content.locales.joined(separator: ", "))
        }
        return chosen
    }

    private mutating func payload(
        of message: Message, in locale: String?, saying content: RunContent
    ) throws(Unsendable) -> Payload {
        let languages = locale.map { content.format == "template" ? [$0, ""] : [$0] } ?? content.locales + [""]
        let texts = languages.compactMap { content.texts[$0] }
        let isPersonal = content.headers?.isPersonal == true || texts.contains(where: \.isPersonal)
        if message.content == "null" { throw Unsendable("content", nil, "it was erased") }
        let own = isPersonal && message.content != "{}" ? try OwnProperties(message.content) : nil
        let key = RunBody(content: content.id, locale: locale)
        if !isPersonal, let known = runBodies[key] {
            notes?.reuseLanguages(of: key, for: message.id)
            return known
        }
        let headers = try ProviderHeaders.read(
            try content.headers.map { headers throws(Unsendable) in
                String(decoding: try headers.filled(from: own, as: "headers"), as: UTF8.self)
            }, format: content.format, isDirect: message.isDirect)
        let payload: Payload
        if let locale {
            if !locale.isEmpty { notes?.gives(locale, from: message.id) }
            payload = try self.payload(content, locale, own, headers)
        } else {
            payload = Payload(body: try localisedBody(of: message, saying: content, own), headers: headers)
        }
        if !isPersonal {
            runBodies[key] = payload
            notes?.keepLanguages(of: message.id, as: key)
        }
        return payload
    }

    /// One text, with what all share.
    private func payload(
        _ content: RunContent, _ locale: String, _ own: OwnProperties?, _ headers: [Post.Header]
    ) throws(Unsendable) -> Payload {
        guard content.format == "template" else {
            let isRaw = headers.contains { $0.name.lowercased() == "x-wns-type" && $0.value == "wns/raw" }
            let escaping: PersonalText.Escaping = content.format == "windows" && !isRaw ? .xml : .json
            let text = try content.texts[locale]?.filled(from: own, escaping: escaping) ?? []
            let native = try NativePayload(text, format: content.format, headers: headers, limit: kind.bodyBytes)
            return Payload(body: native.body, headers: native.headers)
        }
        var object = try properties(content, locale, own) ?? StringObject.empty
        if !locale.isEmpty, let shared = try properties(content, "", own) { object = object.adding(shared) }
        return Payload(body: try Message.properties(object.bytes, limit: kind.bodyBytes).bytes, headers: headers)
    }

    private mutating func localisedBody(
        of message: Message, saying content: RunContent, _ own: OwnProperties?
    ) throws(Unsendable) -> [UInt8] {
        var translations = Translations(hub, try preparedLanguages())
        var unmatched: [Translations.Row] = []
        for name in content.locales {
            guard let object = try properties(content, name, own) else { continue }
            let row = Translations.Row(message: message.id, locale: try locale(named: name), object: object)
            if try !translations.add(row) { unmatched.append(row) }
        }
        if let plain = try properties(content, "", own) {
            _ = try translations.add(Translations.Row(message: message.id, locale: nil, object: plain))
        }
        for row in unmatched { try translations.assignFallback(row) }
        return try LocalisedBody.bytes(of: translations, notes)
    }

    private func properties(
        _ content: RunContent, _ locale: String, _ own: OwnProperties?
    ) throws(Unsendable) -> StringObject? {
        guard let text = content.texts[locale] else { return nil }
        return try Message.properties(try text.filled(from: own), limit: kind.bodyBytes)
    }
}
