import Configuration

/// What `config.json` says: every known key with its value and line, and everything in it that is wrong by itself.
struct SettingsFile {
    private(set) var values: [AbsoluteConfigKey: ConfigValue] = [:]
    /// By dotted key.
    private(set) var lines: [String: Int] = [:]
    /// Hub names that are fit to be used, with the locales of their `languages`.
    private(set) var hubs: [String: Set<String>] = [:]
    private(set) var problems: [SettingsProblem] = []
    private(set) var unknown: [SettingsProblem] = []
    private let path: String

    /// No file: it says nothing.
    init() { path = "" }

    /// Reads the file and walks through it beside the key table.
    ///
    /// - Throws: the problem that leaves nothing to walk through: no file, no JSON, no object.
    init(path: String) throws(SettingsProblem) {
        self.path = path
        let document = try Self.document(at: path)
        guard case .object(let members) = document.root else {
            throw SettingsProblem(
                key: path, found: "is \(document.root.kind)", rule: "must be an object {…} with keys such as \"hubs\"",
                remedy: "Put braces around the settings")
        }
        walk(members, under: [], in: .root)
    }

    private static func document(at path: String) throws(SettingsProblem) -> LocatedJSON {
        let bytes: [UInt8]
        do {
            bytes = try SmallFile.bytes(at: path)
        } catch {
            throw SettingsProblem(
                key: path, found: "\(error)", rule: "the settings file must be readable",
                remedy: "Name another with --config, or mend this one")
        }
        do {
            return try LocatedJSON(bytes)
        } catch {
            throw SettingsProblem(
                key: path, found: "is not JSON at line \(error.place.line), column \(error.place.column)",
                rule: "\(error.expected) was expected there", remedy: "Mend the file at that place")
        }
    }

    private mutating func walk(_ members: [LocatedJSON.Member], under prefix: [String], in tree: SettingsTree) {
        var seen: [String: Int] = [:]
        for member in members {
            let key = prefix + [member.name]
            let dotted = key.joined(separator: ".")
            if let first = seen.updateValue(member.place.line, forKey: member.name) {
                problems.append(
                    SettingsProblem(
                        key: dotted, found: "is given twice (\(path), lines \(first) and \(member.place.line))",
                        rule: "must be given once", remedy: "Remove one of the two"))
                continue
            }
            if key == ["$schema"] { continue }  // for editors
            guard let below = tree.child(member.name) else {
                unknown.append(
                    tree.unknown(
                        dotted, name: member.name, found: "is not a setting (\(path), line \(member.place.line))"))
                continue
            }
            lines[dotted] = member.place.line
            take(member.node, as: key, in: below)
        }
    }

    private mutating func take(_ node: LocatedJSON.Node, as key: [String], in tree: SettingsTree) {
        if case .null = node { return }  // as if it were not there
        let found = "(\(path), line \(lines[key.joined(separator: "."), default: 0]))"
        switch tree {
        case .branch, .named:
            guard case .object(let members) = node else {
                problems.append(
                    SettingsProblem(
                        key: key.joined(separator: "."), found: "is \(node.kind) \(found)",
                        rule: "must be an object {…}",
                        remedy: "Write its keys inside of braces"))
                return
            }
            if key.count == 2, key[0] == "hubs" {
                guard HubRules.isName(key[1]) else {
                    problems.append(.hubName(key[1], found: found))
                    return
                }
                hubs[key[1], default: []] = []
            }
            walk(members, under: key, in: tree)
        case .leaf(let rule):
            guard let value = rule.value(of: node) else {
                let shown = rule.isSecret ? "is \(node.kind)" : "is \(node.shown)"
                problems.append(
                    SettingsProblem(
                        key: key.joined(separator: "."), found: "\(shown) \(found)", rule: "must be \(rule.words)",
                        remedy: rule.remedy(for: "", initial: nil)))
                return
            }
            if key.count == 4, key[2] == "languages" { hubs[key[1], default: []].insert(key[3]) }
            values[AbsoluteConfigKey(key)] = value.configValue(isSecret: rule.isSecret)
        }
    }
}
