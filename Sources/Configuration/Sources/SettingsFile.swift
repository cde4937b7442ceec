import Files
import PushModel

/// The content of `config.json`: every known key with its value and line, and the problems that show in the file alone.
struct SettingsFile {
    private(set) var values: SettingsSources.Source = [:]
    /// Valid hub names, with the locales of their `languages`.
    private(set) var hubs: [String: Set<String>] = [:]
    /// Valid names of people.
    private(set) var users: Set<String> = []
    private(set) var problems: [SettingsProblem] = []
    private(set) var unknown: [SettingsProblem] = []
    private let path: String

    /// Bytes the file may have; credential files have the same limit.
    static let limit = 1_048_576

    /// Without a file.
    init() { path = "" }

    /// Reads the file and compares it with the key table.
    ///
    /// - Throws: the problem that leaves nothing to compare: no file, no JSON, no object.
    init(path: String) throws(SettingsProblem) {
        self.path = path
        let document = try Self.document(at: path)
        guard case .object(let members) = document.root else {
            throw SettingsProblem(
                key: path, found: "is \(document.root.kind)", rule: "must be an object {…} with keys such as \"hubs\"",
                remedy: "Put braces around the settings")
        }
        read(members, under: [], in: .root)
    }

    private static func document(at path: String) throws(SettingsProblem) -> LocatedJSON {
        let bytes: [UInt8]
        do {
            bytes = try BoundedFile.bytes(of: path, limit: limit)
        } catch {
            throw SettingsProblem(
                key: path, found: "\(error)", rule: "the settings file must be readable",
                remedy: "Name another with --config, or fix this one")
        }
        do {
            return try LocatedJSON(bytes)
        } catch {
            throw SettingsProblem(
                key: path, found: "is not JSON at line \(error.place.line), column \(error.place.column)",
                rule: "\(error.expected) was expected there", remedy: "Fix the file at that place")
        }
    }

    private mutating func read(_ members: [LocatedJSON.Member], under prefix: [String], in tree: SettingsTree) {
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
                        dotted, name: member.name, found: "is not a setting (\(path), line \(member.place.line))",
                        of: prefix.first == "hubs" && prefix.count == 2 ? Self.kind(members) : nil))
                continue
            }
            take(member, as: key, in: below)
        }
    }

    /// The kind of a hub with these members; nil: the file does not say, or it is no kind.
    private static func kind(_ members: [LocatedJSON.Member]) -> HubKind? {
        guard case .text(let name)? = members.first(where: { $0.name == "kind" })?.node else { return nil }
        return HubKind(rawValue: name)
    }

    /// How a secret is given, which is one text.
    private static func asText(_ key: [String]) -> String {
        "Write it as one text in quotes, or set \(SettingsSources.environmentName(of: key)), or the credential file "
            + Credentials.fileName(of: key)
    }

    private mutating func take(_ member: LocatedJSON.Member, as key: [String], in tree: SettingsTree) {
        let node = member.node
        if case .null = node { return }  // null means not set
        let dotted = key.joined(separator: ".")
        let origin = SettingOrigin.file(path, line: member.place.line)
        switch tree {
        case .branch, .named:
            guard case .object(let members) = node else {
                problems.append(
                    SettingsProblem(
                        key: dotted, found: "is \(node.kind) (\(origin))", rule: "must be an object {…}",
                        remedy: "Write its keys inside braces"))
                return
            }
            if key.count == 2, key[0] == "hubs" {
                guard HubRules.isName(key[1]) else {
                    problems.append(.hubName(key[1], found: "(\(origin))"))
                    return
                }
                hubs[key[1], default: []] = []
            }
            if key.count == 3, key.starts(with: ["console", "users"]) {
                guard PersonName.isOne(key[2]) else {
                    problems.append(.userName(key[2], found: "(\(origin))"))
                    return
                }
                users.insert(key[2])
            }
            read(members, under: key, in: tree)
        case .leaf(let rule):
            guard let value = rule.value(of: node) else {
                let shown = rule.isSecret ? "is \(node.kind)" : "is \(node.shown)"
                problems.append(
                    SettingsProblem(
                        key: dotted, found: "\(shown) (\(origin))", rule: "must be \(rule.words)",
                        remedy: rule.isSecret ? Self.asText(key) : rule.remedy(for: "", initial: nil)))
                return
            }
            if key.count == 4, key[2] == "languages" { hubs[key[1], default: []].insert(key[3]) }
            values[dotted] = SourcedValue(value: value, origin: origin)
        }
    }
}

extension LocatedJSON.Node {
    /// Its kind, in words.
    fileprivate var kind: String {
        switch self {
        case .object: "an object"
        case .array: "a list"
        case .text: "a text"
        case .number: "a number"
        case .flag: "true or false"
        case .null: "null"
        }
    }

    /// How it is shown when it is of the wrong kind.
    fileprivate var shown: String {
        switch self {
        case .text(let text): "the text \"\(text.prefix(80))\""
        case .number(let digits): "\(digits.prefix(80))"
        case .flag(let flag): "\(flag)"
        case .object, .array, .null: kind
        }
    }
}
