import Pages
import PushModel

extension CampaignForm {
    /// Names of fields that stand in a form several times. What follows a `language` is said in it, and each `property` and `header`
    /// has its text behind it, because browsers send fields in their order.
    enum Name {
        static let hub = "hub"
        /// Names of hubs that no box is for.
        static let moreHubs = "hubs"
        static let language = "language"
        static let property = "property"
        static let text = "text"
        static let payload = "payload"
        static let header = "header"
        static let headerText = "headertext"
        /// An object: the members that are shown as JSON only.
        static let kept = "kept"
    }

    /// What was sent by a browser.
    ///
    /// - Throws: `FieldProblem` where what the form kept did not come back as it was.
    init(_ sent: FormFields) throws(FieldProblem) {
        for (name, value) in sent.pairs {
            // Browsers end lines so, whatever ended them before.
            let value = value.replacing(scalars: "\r\n", with: "\n")
            switch name {
            case Name.hub: add(hub: value)
            case Name.moreHubs:
                for word in value.split(whereSeparator: { $0.isWhitespace || $0 == "," }) { add(hub: String(word)) }
            case Name.language: languages.append(Language(locale: FieldText.trimmed(value[...])))
            case Name.property:
                if languages.isEmpty { languages.append(Language()) }
                languages[languages.count - 1].rows.append(Row(name: FieldText.trimmed(value[...])))
            case Name.text:
                guard let language = languages.indices.last, let row = languages[language].rows.indices.last else {
                    break
                }
                languages[language].rows[row].text = value
            case Name.payload: if let language = languages.indices.last { languages[language].payload = value }
            case Name.header: headers.append(Row(name: FieldText.trimmed(value[...])))
            case Name.headerText: if let row = headers.indices.last { headers[row].text = value }
            case Name.kept: try keep(value)
            default: set(name, value)
            }
        }
        removeEmpty()
    }

    private mutating func add(hub: String) {
        let name = FieldText.trimmed(hub[...])
        if !name.isEmpty { hubs.append(name) }
    }

    private mutating func set(_ name: String, _ value: String) {
        guard let field = CampaignField(name: name) else { return }
        let text = FieldText.cleaned(value, field.kind)
        fields[field] = text.isEmpty ? nil : text
    }

    /// Empty places are made anew each time the form is shown. A hub that was ticked and typed is one.
    private mutating func removeEmpty() {
        var seen: Set<String> = []
        hubs.removeAll { !seen.insert($0).inserted }
        for index in languages.indices { languages[index].rows.removeAll(where: \.isEmpty) }
        languages.removeAll { $0.locale.isEmpty && $0.rows.isEmpty && $0.payload.isEmpty }
        headers.removeAll(where: \.isEmpty)
    }

    private mutating func keep(_ text: String) throws(FieldProblem) {
        // Such a text is no spec.
        guard let json = try? SpecText(text), let members = json.root.members else {
            throw FieldProblem(
                field: Name.kept,
                words:
                    "The members that the form keeps as JSON came back damaged. Nothing was saved: open the page again."
            )
        }
        kept = members.map { Kept(name: $0.name, json: json.compact($0.node)) }
    }

    /// What `kept` has in a form.
    var keptText: String { SpecText.object(kept.map { ($0.name, $0.json) }) }
}
