import PushModel

/// What an entry of the audit says beside its action: the arguments in one line, and how many things the call changed. Pure.
struct AuditDetail: Sendable, Equatable {
    /// `hub: news, reason: new key`. Empty: it says nothing more.
    let arguments: String
    /// `12 messages`; nil: it does not count.
    let count: String?

    /// Members that say how many were changed, in the order in which they are looked for.
    private static let counts = [
        "messages", "changes", "erased", "templates", "members", "recipients", "devices", "added", "claims", "rows",
    ]

    /// Values of a list that are shown.
    private static let listed = 5

    /// - Parameter json: the column `detail`.
    init(_ json: String) {
        guard let node = try? JSONNode(Array(json.utf8)), case .object(let members) = node.value else {
            // Only the owner writes something else than an object.
            arguments = json
            count = nil
            return
        }
        let counted = Self.counts.first { name in
            members.contains { $0.name == name && Self.isNumber($0.node.value) }
        }
        arguments = members.filter { $0.name != counted }
            .compactMap { member in Self.text(member.node.value).map { "\(member.name): \($0)" } }
            .joined(separator: ", ")
        count = counted.flatMap { name in
            guard case .number(let number)? = members.first(where: { $0.name == name })?.node.value else { return nil }
            return "\(Int64(number).map(HumanFormat.grouped) ?? number) \(name)"
        }
    }

    private static func isNumber(_ value: JSONValue) -> Bool { if case .number = value { true } else { false } }

    /// nil: there is nothing to show.
    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .null: nil
        case .string(let text): text
        case .number(let number): number
        case .bool(let flag): flag ? "yes" : "no"
        case .array(let items):
            items.isEmpty
                ? nil
                : items.prefix(listed).compactMap { text($0.value) }.joined(separator: " ")
                    + (items.count > listed ? " … (\(HumanFormat.grouped(items.count)))" : "")
        case .object(let members):
            members.compactMap { member in text(member.node.value).map { "\(member.name) \($0)" } }
                .joined(separator: "; ")
        }
    }
}
