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
        guard case .object(var members) = Self.schema(of: root) else { return .null }
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

    private static func schema(of node: Node) -> JSONOutput {
        switch node {
        case .leaf(let key): return schema(of: key)
        case .branch(let children):
            if let any = children["NAME"] {
                return .object([
                    "type": .text("object"), "propertyNames": .object(["pattern": .text(Settings.hubNamePattern)]),
                    "additionalProperties": schema(of: any),
                ])
            }
            if let any = children["LOCALE"] {
                return .object(["type": .text("object"), "additionalProperties": schema(of: any)])
            }
            return .object([
                "type": .text("object"), "additionalProperties": .flag(false),
                "properties": .object(children.mapValues(schema)),
            ])
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
            members["default"] = .text(key.initial)
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
