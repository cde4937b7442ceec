import CommandLineTool
import PushModel

/// What a call asked for, in words: `apns, handle 00FC…13AD, tags World user:17, template news`. Pure.
struct DeviceCall: CustomStringConvertible {
    let description: String

    /// - Parameter document: of push.installation_change.
    init(_ document: JSONOutput) {
        let added = document.names("templates") { $0.isNull == false }
        let removed = document.names("templates") { $0.isNull }
        let parts: [(String, String?)] = [
            ("", document["platform"]?.string), ("handle", document["handle"]?.string),
            ("user", document["user_id"]?.string), ("tags", Self.joined(document["tags"]?.strings)),
            ("add", Self.joined(document["add_tags"]?.strings)),
            ("remove", Self.joined(document["remove_tags"]?.strings)), ("template", Self.joined(added)),
            ("without template", Self.joined(removed)),
        ]
        description = parts.compactMap { name, value in value.map { name.isEmpty ? $0 : "\(name) \($0)" } }
            .joined(separator: ", ")
    }

    private static func joined(_ names: [String]?) -> String? {
        guard let names, !names.isEmpty else { return nil }
        return names.joined(separator: " ")
    }
}

/// Reading a document.
extension JSONOutput {
    /// - Parameter json: nil when it is not JSON.
    init?(json: [UInt8]) {
        guard let node = try? JSONNode(json) else { return nil }
        self.init(node)
    }

    private init(_ node: JSONNode) {
        switch node.value {
        case .object(let members):
            self = .object(Dictionary(members.map { ($0.name, JSONOutput($0.node)) }) { $1 })
        case .array(let nodes): self = .list(nodes.map { JSONOutput($0) })
        case .string(let text): self = .text(text)
        case .number(let digits):
            self = Int64(digits).map { .number($0) } ?? Double(digits).map { .decimal($0) } ?? .text(digits)
        case .bool(let flag): self = .flag(flag)
        case .null: self = .null
        }
    }

    subscript(name: String) -> JSONOutput? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var isNull: Bool { if case .null = self { true } else { false } }
    var string: String? { if case .text(let text) = self { text } else { nil } }
    var strings: [String]? { if case .list(let values) = self { values.compactMap(\.string) } else { nil } }

    /// The names of the members of one member, sorted.
    fileprivate func names(_ member: String, where isWanted: (JSONOutput) -> Bool) -> [String] {
        guard case .object(let members)? = self[member] else { return [] }
        return members.filter { isWanted($0.value) }.keys.sorted()
    }
}
