import PushModel

extension CampaignForm {
    /// The spec that the form says: JSON without white space. Known members come first, then those that no field knows, as they
    /// were.
    var spec: String {
        var members: [(name: String, json: String)] = []
        for name in Self.members {
            if let json = kept(name)?.json ?? json(of: name) { members.append((name, json)) }
        }
        members += kept.filter { !Self.members.contains($0.name) }.map { ($0.name, $0.json) }
        return SpecText.object(members)
    }

    /// - Returns: nil: nothing stands in its fields.
    private func json(of member: String) -> String? {
        switch member {
        case "hubs": return hubs.isEmpty ? nil : "[" + hubs.map(SpecText.string).joined(separator: ",") + "]"
        case "content": return content
        case "headers":
            let rows = headers.filter { !$0.isEmpty }
            return rows.isEmpty ? nil : SpecText.object(rows.map { ($0.name, SpecText.string($0.text)) })
        default: break
        }
        let values = CampaignField.all(of: member).compactMap { field in
            fields[field].map { (field: field, json: FieldText.json($0, field.kind)) }
        }
        guard let first = values.first else { return nil }
        guard first.field.inner != nil else { return first.json }
        return SpecText.object(values.map { ($0.field.inner ?? "", $0.json) })
    }

    private var content: String? {
        let said = languages.filter { !$0.isEmpty(isNative: isNative) }
        guard !said.isEmpty else { return nil }
        return SpecText.object(
            said.map { language in
                guard !isNative else { return (language.locale, Self.json(payload: language.payload)) }
                let rows = language.rows.filter { !$0.isEmpty }
                return (language.locale, SpecText.object(rows.map { ($0.name, SpecText.string($0.text)) }))
            })
    }

    /// A payload that is no JSON is a text: formats of Windows have XML.
    private static func json(payload: String) -> String {
        // What is wrong with it, `payloadProblems` says.
        guard let json = try? SpecText(payload) else { return SpecText.string(payload) }
        return json.compact(json.root)
    }
}
