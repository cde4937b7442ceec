extension Message {
    static let nativeFormats: Set<String> = ["apple", "fcmv1", "windows", "adm", "baidu", "browser", "xiaomi"]

    var isTemplate: Bool { format == "template" }

    /// The content of a template message.
    ///
    /// - Throws: when it is no flat object of strings, or too large by itself.
    func properties() throws(Unsendable) -> FlatObject {
        try checkSize(content.utf8.count)
        do throws(FlatObjectError) {
            return try FlatObject(content)
        } catch {
            throw Unsendable("content", nil, "\(error)")
        }
    }

    /// The body of a message whose content leaves as it is.
    ///
    /// - Throws: when the content is not what its format asks for, or over `Post.bodyLimit`.
    func body() throws(Unsendable) -> [UInt8] {
        if isTemplate { return try properties().bytes }
        guard Message.nativeFormats.contains(format) else {
            let known = (["template"] + Message.nativeFormats.sorted()).joined(separator: ", ")
            throw Unsendable("format", format, "it is none of \(known)")
        }
        try checkSize(content.utf8.count)
        var scanner = JSONScanner(Array(content.utf8))
        do throws(JSONError) {
            if format == "windows" { return try Message.windowsPayload(&scanner) }
            try scanner.object { _, _ throws(JSONError) in }
        } catch {
            throw Unsendable("content", nil, "character \(error.position): \(error.rule)")
        }
        return scanner.bytes
    }

    /// XML is no JSON, so in a JSON column it stands as a JSON string; what is no string leaves as it is.
    private static func windowsPayload(_ scanner: inout JSONScanner) throws(JSONError) -> [UInt8] {
        guard let first = scanner.next() else { throw scanner.error("it is empty") }
        guard first == UInt8(ascii: "\"") else { return scanner.bytes }
        let range = try scanner.string()
        if scanner.next() != nil { throw scanner.error("something follows the end of the text") }
        return Array(JSONText.decode(scanner.bytes[range]).utf8)
    }

    private func checkSize(_ count: Int) throws(Unsendable) {
        if count > Post.bodyLimit {
            throw Unsendable(
                reason: .tooLarge, "content: it has \(count) bytes, a request takes at most \(Post.bodyLimit)")
        }
    }

    /// - Throws: when the column `locale` holds no BCP 47 name.
    func localeTag() throws(Unsendable) -> LocaleTag? {
        guard let locale else { return nil }
        do throws(LocaleError) {
            return try LocaleTag(locale)
        } catch {
            throw Unsendable("locale", locale, error.rule)
        }
    }

    /// The column in which a translation differs from the message that leads its content; nil: they can share
    /// a post.
    func difference(from lead: Message) -> String? {
        if target != lead.target { return target.column }
        if headers != lead.headers { return "headers" }
        return nil
    }
}
