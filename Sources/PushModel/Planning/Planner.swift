/// Plans the post of one content at a time, for one hub.
struct Planner {
    let hub: HubSettings
    let kind: HubFacts
    /// Seconds since 1970 when the clock of `Message.expiresAt` showed 0.
    private let epoch: Double
    /// nil: nobody asks which row gives which language.
    let notes: PlanNotes?
    /// Prepared for the first localised content.
    private var languages: HubLanguages?
    /// The locales parsed so far, by their text: a claim has few, and many rows of each.
    private var locales: [String: LocaleTag] = [:]
    /// The payload of the last content that needed no localisation: a campaign sends one content to a thousand tags,
    /// and bodies that share their storage are compared by address.
    private var finished: (content: [UInt8], format: String, headers: String?, isDirect: Bool, payload: Payload)?

    /// Bodies of runs that were made for this claim.
    var runBodies: [RunBody: Payload] = [:]

    /// The body and headers of a content that is sent as it is.
    struct Payload {
        let body: [UInt8]
        let headers: [Post.Header]
    }

    init(_ hub: HubSettings, epoch: Double = 0, notes: PlanNotes? = nil) {
        self.hub = hub
        self.epoch = epoch
        self.notes = notes
        kind = hub.kind.facts
    }

    /// When a message ends, in seconds since 1970; nil: never.
    func end(of message: Message) -> Double? { message.expiresAt.isFinite ? message.expiresAt + epoch : nil }

    /// Whether a message's language goes into the names of its properties.
    func isLocalisedByProperty(_ message: Message) -> Bool {
        message.locale != nil && message.isTemplate && hub.localization == .properties
    }

    /// The post of a message without translations: its content is sent as it is.
    ///
    /// - Throws: why the message cannot be sent.
    mutating func post(_ message: Message) throws(Unsendable) -> Post {
        // Where every format goes, the payload's own rules find an unknown one.
        if !kind.takesTemplates { try message.checkFormat(for: hub) }
        var target = try message.target.checked(for: hub)
        if let locale = try locale(of: message) {
            guard hub.localization == .tags else {
                if !kind.takesTemplates {
                    throw Unsendable(
                        "locale", message.locale,
                        "hub \(hub.name) is \(kind.label), which does not know the languages of phones; leave locale out and "
                            + "let the phone translate (title_loc_key), or set hubs.\(hub.name).localization \"tags\" to "
                            + "send to phones that also have the topic \(locale.tag)")
                }
                throw Unsendable(
                    "locale", message.locale,
                    "a content of format \(message.format) is finished and cannot be localised by property; "
                        + "set hubs.\(hub.name).localization \"tags\" or leave locale null")
            }
            if !message.isDirect {
                let language = locale.nearest(of: hub.languages.keys)
                target = try target.narrowed(to: language, on: kind)
                notes?.gives(language.text, from: message.id)
            }
        }
        let payload = try payload(of: message)
        try message.checkDirect(payload.headers)
        return Post(
            messages: [message.id], target: target, format: message.format, headers: payload.headers,
            body: payload.body, expiresAt: end(of: message), priority: message.priority)
    }

    private mutating func payload(of message: Message) throws(Unsendable) -> Payload {
        let content = Array(message.content.utf8)
        if let finished, finished.content == content, finished.format == message.format,
            finished.headers == message.headers, finished.isDirect == message.isDirect
        {
            return finished.payload
        }
        let headers = try ProviderHeaders.read(message.headers, format: message.format, isDirect: message.isDirect)
        let payload: Payload
        if message.isTemplate {
            payload = Payload(body: try Message.properties(content, limit: kind.bodyBytes).bytes, headers: headers)
        } else {
            let native = try NativePayload(content, format: message.format, headers: headers, limit: kind.bodyBytes)
            payload = Payload(body: native.body, headers: native.headers)
        }
        finished = (content, message.format, message.headers, message.isDirect, payload)
        return payload
    }

    /// The one post of a content localised by property, and the rows it cannot include.
    ///
    /// - Throws: when no row can be sent.
    mutating func post(
        translations messages: [Message]
    ) throws(Unsendable) -> (post: Post?, refused: [(message: Int64, why: Unsendable)]) {
        let lead = messages[0]
        if !kind.takesTemplates { try lead.checkFormat(for: hub) }
        let target = try lead.target.checked(for: hub)
        let headers = try ProviderHeaders.read(lead.headers, format: lead.format, isDirect: lead.isDirect)
        try lead.checkDirect(headers)
        var translations = Translations(hub, try preparedLanguages())
        var refused: [(message: Int64, why: Unsendable)] = []
        var unmatched: [Translations.Row] = []
        for message in messages {
            do throws(Unsendable) {
                let row = try row(message, of: lead)
                if try !translations.add(row) { unmatched.append(row) }
            } catch {
                refused.append((message.id, error))
            }
        }
        for row in unmatched {
            do throws(Unsendable) {
                try translations.assignFallback(row)
            } catch {
                refused.append((row.message, error))
            }
        }
        let rows =
            refused.isEmpty ? messages : messages.filter { row in !refused.contains { $0.message == row.id } }
        let included = rows.map(\.id)
        if included.isEmpty { return (nil, refused) }
        do throws(Unsendable) {
            // A content without translations is sent as it is.
            let body =
                included.count == 1 && translations.plain != nil
                ? translations.rows[0].object.bytes : try LocalisedBody.bytes(of: translations, notes)
            return (
                Post(
                    messages: included, target: target, headers: headers, body: body,
                    expiresAt: rows.lazy.compactMap(end).min(),
                    priority: rows.lazy.map(\.priority).min() ?? .normal), refused
            )
        } catch {
            return (nil, refused + included.map { ($0, error) })
        }
    }

    private mutating func row(_ message: Message, of lead: Message) throws(Unsendable) -> Translations.Row {
        if let column = message.difference(from: lead) {
            throw Unsendable(
                column, nil, "it differs from message \(lead.id), whose content this row translates")
        }
        return Translations.Row(
            message: message.id, locale: try locale(of: message), object: try message.properties(limit: kind.bodyBytes))
    }

    mutating func locale(of message: Message) throws(Unsendable) -> LocaleTag? {
        guard let text = message.locale else { return nil }
        return try locale(named: text)
    }

    mutating func locale(named text: String) throws(Unsendable) -> LocaleTag {
        if let known = locales[text] { return known }
        do throws(LocaleError) {
            let locale = try LocaleTag(text)
            locales[text] = locale
            return locale
        } catch {
            throw Unsendable("locale", text, error.rule)
        }
    }

    mutating func preparedLanguages() throws(Unsendable) -> HubLanguages {
        if let languages { return languages }
        let fresh = try HubLanguages(hub)
        languages = fresh
        return fresh
    }
}
