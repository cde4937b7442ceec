extension Message {
    /// Characters a property's name may have (docs/wire/notification-hubs.md, "Limits and tiers"): no template can name
    /// a longer one, so no device would show it.
    static let propertyNameLimit = 120

    var isTemplate: Bool { format == "template" }

    /// Whether it is sent to devices by their handles.
    var isDirect: Bool { if case .handles = target { true } else { false } }

    /// - Throws: when no hub of this kind could send it, whatever it says. Hubs of other kinds have formats and headers
    ///   whose rules say the same.
    func checkFormat(for hub: HubSettings) throws(Unsendable) {
        let kind = hub.kind.facts
        if !kind.formats.contains(format) {
            let formats = kind.formats.joined(separator: " or ")
            let why = isTemplate ? ". The default, template, is for kinds of hubs that render templates" : ""
            throw Unsendable(
                "format", format,
                "hub \(hub.name) is \(kind.label): set format to \(formats)\(why). Write the payload of the service, such as "
                    + kind.example)
        }
        if kind.headers.isEmpty, headers != nil {
            throw Unsendable("headers", nil, "hub \(hub.name) is \(kind.label), which takes none; its payload says all")
        }
    }

    /// The content of a template message.
    ///
    /// - Throws: when it is not a flat object of strings, a name is too long for a template, or it is larger than `limit`
    ///   by itself.
    func properties(limit: Int) throws(Unsendable) -> StringObject {
        try Message.properties(Array(content.utf8), limit: limit)
    }

    /// - Parameters:
    ///   - content: JSON text.
    ///   - limit: bytes.
    static func properties(_ content: [UInt8], limit: Int) throws(Unsendable) -> StringObject {
        if content.count > limit {
            throw Unsendable(
                reason: .tooLarge, "content: it has \(content.count) bytes, a request takes at most \(limit)")
        }
        do throws(StringObjectError) {
            let object = try StringObject(content)
            try object.checkNameLengths(Message.propertyNameLimit)
            return object
        } catch {
            throw Unsendable("content", nil, "\(error)")
        }
    }

    /// - Throws: when the message is for handles and cannot be sent to them.
    func checkDirect(_ headers: [Post.Header]) throws(Unsendable) {
        guard case .handles(let handles) = target else { return }
        if isTemplate {
            throw Unsendable(
                "handles", nil, "a template is rendered for registered devices only; handles take a native format")
        }
        guard format == "browser" else { return }
        if handles.count > 1 {
            throw Unsendable(
                "handles", nil,
                "there are \(handles.count); a browser needs a request of its own, because Auth and P256DH belong to "
                    + "one browser")
        }
        for name in ["auth", "p256dh"] where !headers.contains(where: { $0.name.lowercased() == name }) {
            throw Unsendable("headers", nil, "Auth and P256DH are needed to send to a browser by its handle")
        }
    }

    /// The column in which a translation differs from the lead of its content; nil: they can share a post.
    func difference(from lead: Message) -> String? {
        if target != lead.target { return target.column }
        if headers != lead.headers { return "headers" }
        return nil
    }
}
