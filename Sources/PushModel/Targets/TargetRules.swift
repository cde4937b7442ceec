extension Target {
    /// The target in the form to send: one tag as written, an expression with every parenthesis, each handle once.
    ///
    /// - Throws: when it is not a valid tag expression, or a broadcast that the hub does not allow.
    func checked(for hub: HubSettings) throws(Unsendable) -> Target {
        switch self {
        case .tag(let text):
            if Tag.isPlain(text) { return self }
            return .tag(try Target.expression(text).description)
        case .broadcast:
            guard hub.allowBroadcast else {
                throw Unsendable(
                    "broadcast", nil, "hub \(hub.name) does not allow it; set hubs.\(hub.name).allowBroadcast")
            }
            return self
        case .handles(let handles):
            guard (1...Target.handleLimit).contains(handles.count) else {
                throw Unsendable(
                    "handles", nil, "there are \(handles.count), one request takes 1 to \(Target.handleLimit)")
            }
            for (index, handle) in handles.enumerated() where !Target.isHandle(handle) {
                throw Unsendable(
                    "handles", nil,
                    "number \(index + 1) is not a handle: 1 to \(Target.handleLengthLimit) visible ASCII characters, "
                        + "no spaces")
            }
            guard handles.count > 1 else { return self }
            // A table of devices may hold a token twice, and the hub notifies a device as often as it is named.
            var seen: Set<String> = []
            return .handles(handles.filter { seen.insert($0).inserted })
        }
    }

    /// Characters a handle may have: half of what a header can hold. Handles of FCM have about 170.
    public static let handleLengthLimit = 4096

    /// Whether a text can be a device's handle.
    public static func isHandle(_ text: String) -> Bool {
        (1...handleLengthLimit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
    }

    /// A checked target, for devices of one language only. A broadcast in French becomes the tag `locale_fr`.
    ///
    /// - Throws: when one more tag puts the expression over a limit.
    func narrowed(to locale: LocaleTag) throws(Unsendable) -> Target {
        guard case .tag(let text) = self else { return .tag(locale.tag) }
        let narrowed = "(\(text)) && \(locale.tag)"
        if Tag.isPlain(text) { return .tag(narrowed) }
        do throws(TagExpressionError) {
            _ = try TagExpression(narrowed)
        } catch {
            throw Unsendable("tag", text, "with \(locale.tag) for its locale, \(error.rule)")
        }
        return .tag(narrowed)
    }

    private static func expression(_ text: String) throws(Unsendable) -> TagExpression {
        do throws(TagExpressionError) {
            return try TagExpression(text)
        } catch {
            throw Unsendable("tag", text, "\(error)")
        }
    }

    /// The column it came from.
    var column: String {
        switch self {
        case .tag: "tag"
        case .broadcast: "broadcast"
        case .handles: "handles"
        }
    }
}
