import PushModel

/// The key table as the shape of config.json.
indirect enum SettingsTree: Sendable {
    case branch([String: SettingsTree])
    /// Any name, with the same tree below each: `hubs`, `languages`, `console.users`.
    case named(SettingsTree)
    case leaf(SettingRule)

    static let root: SettingsTree = {
        var hub = SettingsTree.branch([:])
        for key in HubConfiguration.keys { hub.insert(.leaf(key.rule), at: [key.name]) }
        hub.insert(.named(.leaf(HubConfiguration.language("").rule)), at: ["languages"])
        var root = SettingsTree.branch([:])
        for key in Settings.keys {
            root.insert(.leaf(key.rule), at: key.name.split(separator: ".").map(String.init)[...])
        }
        root.insert(.named(hub), at: ["hubs"])
        var user = SettingsTree.branch([:])
        for key in ConsoleUser.keys { user.insert(.leaf(key.rule), at: [key.name]) }
        root.insert(.named(user), at: ["console", "users"])
        return root
    }()

    func child(_ name: String) -> SettingsTree? {
        switch self {
        case .branch(let children): children[name]
        case .named(let child): child
        case .leaf: nil
        }
    }

    /// The components of a dotted key. The name of a person may have dots: `console.users.ana@example.com.may`.
    static func components(of dotted: String) -> [String] {
        let parts = dotted.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 4, parts.starts(with: ["console", "users"]), let key = parts.last else { return parts }
        return ["console", "users", parts[2..<(parts.count - 1)].joined(separator: "."), key]
    }

    /// The rule of a key; nil for an unknown key.
    func rule(of key: [String]) -> SettingRule? {
        var tree: SettingsTree? = self
        for name in key { tree = tree?.child(name) }
        if case .leaf(let rule) = tree { return rule }
        return nil
    }

    /// The problem that `name` is not a key at this place.
    ///
    /// - Parameter kind: of the hub whose keys these are; nil: not known, or no hub's.
    func unknown(_ key: String, name: String, found: String, of kind: HubKind?) -> SettingsProblem {
        var names: [String] = []
        if case .branch(let children) = self { names = children.keys.sorted() }
        if let kind {
            let others = HubConfiguration.keys.filter { !$0.kinds.contains(kind) }.map(\.name)
            names.removeAll(where: others.contains)
        }
        return SettingsProblem(
            key: key, found: found, rule: "only known keys have an effect",
            remedy: DidYouMean.nearest(to: name, in: names).map { "Did you mean \"\($0)\"" } ?? "Remove it")
    }

    private mutating func insert(_ tree: SettingsTree, at path: ArraySlice<String>) {
        guard case .branch(var children) = self, let name = path.first else { return }
        if path.count == 1 {
            children[name] = tree
        } else {
            children[name, default: .branch([:])].insert(tree, at: path.dropFirst())
        }
        self = .branch(children)
    }
}
