import Pages
import PushModel
import Store

/// A selection as the fields of a form, and read from them.
extension MessageSelection {
    /// Names and values of the filters that are set.
    var texts: [(name: String, value: String)] {
        let all: [(String, String?)] = [
            ("hub", search.hub), ("status", search.status), ("reason", search.reason), ("tag", search.tag),
            ("campaign", search.campaign), ("run", search.run), ("tenant", search.tenant),
            ("dedupe_key", search.dedupeKey), ("since", search.since.map(FilterTime.text)),
            ("until", search.until.map(FilterTime.text)),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Filters of its page. `/failures` knows only the hub.
    ///
    /// - Parameter changed: whether its messages were changed: their status and reason are others then.
    func filters(after changed: Bool) -> [(name: String, value: String)] {
        texts.filter { name, _ in
            cause == nil ? !changed || name != "status" && name != "reason" : name == "hub"
        }
    }

    var fields: [(name: String, value: String)] {
        var fields = texts
        if let cause { fields += [("cause", "1")] + (cause.words.map { [("words", $0)] } ?? []) }
        if let frozen {
            fields += [("newest", "\(frozen.newest)"), ("asked", frozen.asked), ("shown", frozen.shown)]
        }
        return fields
    }

    /// - Throws: `FieldProblem` for a value that a page of ours would not have sent.
    init(_ fields: FormFields) throws(FieldProblem) {
        var search = MessageSearch()
        search.hub = try Self.text("hub", fields)
        search.status = try Self.word("status", fields, among: Status.allCases.map(\.rawValue))
        search.reason = try Self.word("reason", fields, among: Reason.allCases.map(\.rawValue))
        search.tag = try Self.text("tag", fields)
        search.campaign = try Self.text("campaign", fields)
        search.run = try Self.text("run", fields)
        search.tenant = try Self.text("tenant", fields)
        search.dedupeKey = try Self.text("dedupe_key", fields)
        search.since = try Self.time("since", fields)
        search.until = try Self.time("until", fields)
        self.init(search, cause: fields["cause"] == nil ? nil : Cause(words: try Self.text("words", fields)))
        frozen = try Self.frozen(fields)
        guard hasFilter else {
            throw FieldProblem(
                field: "hub", words: "Without a filter these would be all messages. Set one first. Nothing was done.")
        }
    }

    private static func frozen(_ fields: FormFields) throws(FieldProblem) -> Frozen? {
        guard let newest = fields["newest"] else { return nil }
        guard let id = Int64(newest), id >= 0, let asked = fields["asked"], Expiry(asked) != nil else {
            throw FieldProblem(field: "newest", words: "This form is not one of this console. Nothing was done.")
        }
        return Frozen(newest: id, asked: asked, shown: fields["shown"] ?? "")
    }

    private static func text(_ name: String, _ fields: FormFields) throws(FieldProblem) -> String? {
        guard let text = fields[name] else { return nil }
        guard text.unicodeScalars.count <= FilterForm.limit, !text.unicodeScalars.contains("\0") else {
            throw FieldProblem(
                field: name,
                words: "\(name): at most \(FilterForm.limit) characters, none of them U+0000. Nothing was done.")
        }
        return text
    }

    private static func word(
        _ name: String, _ fields: FormFields, among known: [String]
    ) throws(FieldProblem) -> String? {
        guard let text = try text(name, fields) else { return nil }
        guard known.contains(text) else {
            throw FieldProblem(field: name, words: FilterProblem.unknown(text, name, among: known).words)
        }
        return text
    }

    private static func time(_ name: String, _ fields: FormFields) throws(FieldProblem) -> MessageSearch.Time? {
        guard let text = try text(name, fields) else { return nil }
        do throws(FilterProblem) {
            return try FilterTime.read(text)
        } catch {
            throw FieldProblem(field: name, words: "\(name): \(error.words)")
        }
    }
}
