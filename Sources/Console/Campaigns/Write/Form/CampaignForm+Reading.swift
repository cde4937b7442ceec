import PushModel

extension CampaignForm {
    /// - Parameter spec: JSON.
    /// - Returns: nil: it is no form, because it is not an object, or a member stands in it twice.
    init?(spec: SpecText) {
        guard let members = spec.root.members, Set(members.map { Array($0.name.utf8) }).count == members.count else {
            return nil
        }
        // Decides how the texts are read.
        for member in members where member.name == "format" { fields[.format] = FieldText.text(member.node, .text) }
        for member in members where !take(member, of: spec) {
            kept.append(Kept(name: member.name, json: spec.compact(member.node)))
        }
        // As the form writes them.
        let known = kept.filter { Self.members.contains($0.name) }
        kept =
            Self.members.compactMap { name in known.first { $0.name == name } }
            + kept.filter { !Self.members.contains($0.name) }
    }

    /// - Returns: false: no field can show it.
    private mutating func take(_ member: JSONValue.Member, of spec: SpecText) -> Bool {
        switch member.name {
        case "hubs":
            guard case .array(let elements) = member.node.value else { return false }
            let names = elements.compactMap(\.text)
            guard !names.isEmpty, Set(names).count == elements.count, names.allSatisfy(FieldText.isLine) else {
                return false
            }
            hubs = names
        case "content":
            guard let languages = languages(member.node, of: spec) else { return false }
            self.languages = languages
        case "headers":
            guard let rows = Self.rows(member.node), !rows.isEmpty else { return false }
            headers = rows
        default:
            guard let found = Self.fields(of: member) else { return false }
            fields.merge(found) { $1 }
        }
        return true
    }

    private static func fields(of member: JSONValue.Member) -> [CampaignField: String]? {
        let fields = CampaignField.all(of: member.name)
        guard let first = fields.first else { return nil }
        if first.inner == nil { return FieldText.text(member.node, first.kind).map { [first: $0] } }
        guard let inner = member.node.members, !inner.isEmpty else { return nil }
        var found: [CampaignField: String] = [:]
        for one in inner {
            guard let field = fields.first(where: { $0.inner == one.name }), found[field] == nil,
                let text = FieldText.text(one.node, field.kind)
            else { return nil }
            found[field] = text
        }
        return found
    }

    private func languages(_ node: JSONNode, of spec: SpecText) -> [Language]? {
        guard let members = node.members, !members.isEmpty else { return nil }
        var languages: [Language] = []
        for member in members {
            guard member.name.isEmpty || FieldText.isLine(member.name) else { return nil }
            var language = Language(locale: member.name)
            if isNative {
                guard let payload = Self.payload(member.node, of: spec) else { return nil }
                language.payload = payload
            } else {
                guard let rows = Self.rows(member.node) else { return nil }
                language.rows = rows
            }
            guard !language.isEmpty(isNative: isNative) else { return nil }
            languages.append(language)
        }
        return languages
    }

    private static func rows(_ node: JSONNode) -> [Row]? {
        guard let members = node.members else { return nil }
        var rows: [Row] = []
        for member in members {
            guard let text = member.node.text, FieldText.isKept(text),
                member.name.isEmpty ? !text.isEmpty : FieldText.isLine(member.name)
            else { return nil }
            rows.append(Row(name: member.name, text: text))
        }
        return rows
    }

    private static func payload(_ node: JSONNode, of spec: SpecText) -> String? {
        guard case .string(let text) = node.value else {
            let payload = spec.pretty(node)
            return FieldText.isKept(payload) ? payload : nil
        }
        // A text that is JSON itself would come back as what it says.
        return FieldText.isKept(text) && (try? SpecText(text)) == nil ? text : nil
    }
}
