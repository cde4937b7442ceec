import PushModel
import Configuration
import CommandLineTool

/// The key table as a JSON Schema. Pure.
struct ConfigSchema {
    private indirect enum Node {
        case leaf(Settings.Description)
        case branch([String: Node])
    }

    private var root = Node.branch([:])

    init(_ keys: [Settings.Description]) {
        for key in keys { Self.insert(key, at: key.key.split(separator: ".").map(String.init)[...], into: &root) }
    }

    var document: JSONOutput {
        guard case .object(var members) = Self.schema(of: root, at: "") else { return .null }
        members["$schema"] = .text("https://json-schema.org/draft/2020-12/schema")
        members["title"] = .text("Settings of Fanfare")
        members["description"] = .text(
            "config.json of fanfare \(fanfareVersion). Made by `fanfare config schema`; docs/configuration.md has the same in words."
        )
        if case .object(var properties)? = members["properties"] {
            properties["$schema"] = .object(["type": .text("string")])
            members["properties"] = .object(properties)
        }
        return .object(members)
    }

    private static func insert(_ key: Settings.Description, at path: ArraySlice<String>, into node: inout Node) {
        guard case .branch(var children) = node, let name = path.first else { return }
        if path.count == 1 {
            children[name] = .leaf(key)
        } else {
            insert(key, at: path.dropFirst(), into: &children[name, default: .branch([:])])
        }
        node = .branch(children)
    }

    /// - Parameter name: of the node; empty: it is the root.
    private static func schema(of node: Node, at name: String) -> JSONOutput {
        switch node {
        case .leaf(let key): return schema(of: key)
        case .branch(let children):
            if let any = children["NAME"] {
                let pattern = name == "users" ? Settings.userNamePattern : Settings.hubNamePattern
                return .object([
                    "type": .text("object"), "propertyNames": .object(["pattern": .text(pattern)]),
                    "additionalProperties": schema(of: any, at: "NAME"),
                ])
            }
            if let any = children["LOCALE"] {
                return .object(["type": .text("object"), "additionalProperties": schema(of: any, at: "LOCALE")])
            }
            var members: [String: JSONOutput] = [
                "type": .text("object"), "additionalProperties": .flag(false),
                "properties": .object(
                    children.reduce(into: [:]) { $0[$1.key] = schema(of: $1.value, at: $1.key) }),
            ]
            let conditions = conditions(children)
            if !conditions.isEmpty { members["allOf"] = .list(conditions) }
            return .object(members)
        }
    }

    /// One for each kind of hub: which of these keys it does not have. Without `kind` a hub is of the default one.
    private static func conditions(_ children: [String: Node]) -> [JSONOutput] {
        let keys = children.compactMapValues { node in
            if case .leaf(let key) = node, !key.kinds.isEmpty { key.kinds } else { nil }
        }
        guard !keys.isEmpty, case .leaf(let kindKey)? = children["kind"] else { return [] }
        return HubKind.allCases.map { kind in
            var isOfKind: [String: JSONOutput] = [
                "properties": .object(["kind": .object(["const": .text(kind.rawValue)])])
            ]
            if kind.rawValue != kindKey.initial { isOfKind["required"] = .list([.text("kind")]) }
            let others = keys.filter { !$0.value.contains(kind) }.mapValues { _ in JSONOutput.flag(false) }
            return .object(["if": .object(isOfKind), "then": .object(["properties": .object(others)])])
        }
    }

    private static func schema(of key: Settings.Description) -> JSONOutput {
        var members: [String: JSONOutput] = ["description": .text("\(key.about): \(key.rule)")]
        switch key.kind {
        case .integer(let range):
            members["type"] = .text("integer")
            members["minimum"] = .number(range.lowerBound)
            members["maximum"] = .number(range.upperBound)
            members["default"] = .number(Int64(key.initial))
        case .flag:
            members["type"] = .text("boolean")
            members["default"] = .flag(key.initial == "true")
        case .choice(let names):
            members["enum"] = .list(names.map(JSONOutput.text))
            if !key.initial.isEmpty { members["default"] = .text(key.initial) }
        case .text(let pattern):
            members["type"] = .text("string")
            if let pattern { members["pattern"] = .text(pattern) }
            if !key.initial.isEmpty, key.initial != "NAME" { members["default"] = .text(key.initial) }
        case .secret:
            members["type"] = .text("string")
            members["writeOnly"] = .flag(true)
        }
        return .object(members)
    }
}
