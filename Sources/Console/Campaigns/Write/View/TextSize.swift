import PushModel

/// How long one text of a spec is. Pure.
struct TextSize: Sendable, Equatable {
    /// Empty: for all languages.
    var locale: String
    /// nil: a payload.
    var property: String?
    /// As people count them.
    var characters: Int
    /// In UTF-8, without what JSON adds.
    var bytes: Int

    /// In the order of the spec.
    static func all(of spec: SpecText) -> [TextSize] {
        let content = spec.root.members?.first { $0.name == "content" }
        return (content?.node.members ?? []).flatMap { language in
            let texts = language.node.members?.compactMap { member in
                member.node.text.map {
                    TextSize(locale: language.name, property: member.name, characters: $0.count, bytes: $0.utf8.count)
                }
            }
            if let texts, texts.count == language.node.members?.count { return texts }
            let payload = language.node.text ?? spec.compact(language.node)
            return [
                TextSize(locale: language.name, property: nil, characters: payload.count, bytes: payload.utf8.count)
            ]
        }
    }
}
