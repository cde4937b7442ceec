import PushModel

/// The tags and expressions that a spec is sent to, read from its text. Pure.
enum TypedAudience {
    /// More of them are not looked up.
    static let most = 20

    /// - Returns: an empty list for another audience, and for what is no spec.
    static func expressions(in spec: String) -> [String] {
        // The problem of the spec says what is wrong with it.
        let audience = (try? SpecText(spec))?.root.members?.first { $0.name == "audience" }?.node.members ?? []
        let expressions = audience.flatMap { member -> [String] in
            switch (member.name, member.node.value) {
            case ("expression", .string(let text)): [text]
            case ("tags", .array(let tags)): tags.compactMap(\.text)
            default: []
            }
        }
        return Array(expressions.filter { !$0.isEmpty }.prefix(most))
    }
}
