import Configuration
import PushModel

/// From sources to `Settings`: one pass over the key table, collecting everything that is wrong.
struct SettingsLoader {
    var settings = Settings()
    /// By dotted key; also of values that were refused.
    var origins: [String: SettingOrigin] = [:]
    var problems: [SettingsProblem] = []
    var warnings: [SettingsProblem] = []

    /// - Parameter path: nil: no file.
    /// - Throws: only when there is no file to go by.
    mutating func load(
        path: String?, environment: [String: String], overrides: [String: String], secrets: String
    ) throws(SettingsProblem) {
        let file = if let path { try SettingsFile(path: path) } else { SettingsFile() }
        problems += file.problems
        warnings += file.unknown
        settings.file = path
        var hubs = file.hubs
        let options = take(overrides, hubs: &hubs)
        let keys = Self.keys(of: hubs)
        let credentials = Credentials(
            for: keys.filter { SettingsTree.root.rule(of: $0)?.isSecret == true },
            in: [environment["CREDENTIALS_DIRECTORY"], secrets].compactMap(\.self))
        problems += credentials.problems
        warnings += credentials.unknown
        warnings += Self.unknownVariables(environment, keys: keys)

        let sources = SettingsSources(
            overrides: options, environment: environment, credentials: credentials, file: file, path: path ?? "")
        var top = settings
        for key in Settings.keys { fill(key, at: key.name, of: &top, from: sources) }
        settings = top
        for (name, locales) in hubs.sorted(by: { $0.key < $1.key }) {
            var hub = HubConfiguration(settings: HubSettings(name: name))
            for key in HubConfiguration.keys + locales.sorted().map(HubConfiguration.language) {
                fill(key, at: "hubs.\(name).\(key.name)", of: &hub, from: sources)
            }
            settings.hubs[name] = hub
        }
        check(badFileKeys: Set(file.problems.map(\.key)))
    }

    /// The settings, when nothing is wrong with them.
    consuming func finished(
        _ unknownKeys: Settings.UnknownKeys, _ scope: Settings.Scope
    ) throws(SettingsError) -> Settings {
        if scope == .database { problems.removeAll { $0.key.hasPrefix("hubs.") } }
        if unknownKeys == .refuse {
            problems += warnings
            warnings = []
        }
        // Never a reason to refuse: who may read a file is not in the file, and `config check` runs elsewhere too.
        warnings += SecretFilePermissions.problems(of: settings, origins: origins)
        guard problems.isEmpty else { throw SettingsError(problems: problems, warnings: warnings) }
        settings.origins = origins
        settings.warnings = warnings
        return settings
    }

    /// Options that are settings, as a source; a hub or a locale may be named here for the first time.
    private mutating func take(
        _ overrides: [String: String], hubs: inout [String: Set<String>]
    ) -> [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (dotted, text) in overrides.sorted(by: { $0.key < $1.key }) {
            let key = dotted.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard let rule = SettingsTree.root.rule(of: key) else {
                problems.append(
                    SettingsProblem(
                        key: dotted, found: "is not a setting (command line)", rule: "only known keys can be set",
                        remedy: DidYouMean.nearest(to: dotted, in: Settings.keys.map(\.name))
                            .map { "Did you mean \"\($0)\"" } ?? "Remove it"))
                continue
            }
            if key[0] == "hubs" {
                guard HubRules.isName(key[1]) else {
                    problems.append(.hubName(key[1], found: "(command line)"))
                    continue
                }
                hubs[key[1], default: []].formUnion(key.count == 4 ? [key[3]] : [])
            }
            guard let value = rule.value(of: text) else {
                problems.append(.broken(rule, at: dotted, shown: text, from: .commandLine, initial: nil))
                continue
            }
            values[AbsoluteConfigKey(key)] = value.configValue(isSecret: rule.isSecret)
        }
        return values
    }

    private mutating func fill<Owner>(
        _ key: SettingKey<Owner>, at path: String, of owner: inout Owner, from sources: SettingsSources
    ) {
        let components = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let initial = key.get(owner)
        switch sources.read(components, as: key.rule) {
        case nil: break
        case .value(let value, let origin) where key.rule.holds(value):
            key.set(&owner, value)
            origins[path] = origin
        case .value(let value, let origin):
            problems.append(.broken(key.rule, at: path, shown: "\(value)", from: origin, initial: initial))
            origins[path] = origin
        case .malformed(let text, let origin):
            problems.append(.broken(key.rule, at: path, shown: text, from: origin, initial: initial))
            origins[path] = origin
        }
    }

    private static func keys(of hubs: [String: Set<String>]) -> [[String]] {
        Settings.keys.map { $0.name.split(separator: ".").map(String.init) }
            + hubs.sorted { $0.key < $1.key }.flatMap { name, locales in
                HubConfiguration.keys.map { ["hubs", name, $0.name] }
                    + locales.sorted().map { ["hubs", name, "languages", $0] }
            }
    }

    private static func unknownVariables(_ environment: [String: String], keys: [[String]]) -> [SettingsProblem] {
        let names = Set(keys.map(SettingsSources.environmentName))
        return environment.keys.sorted().filter { $0.hasPrefix("FANFARE_") && !names.contains($0) }.map { name in
            SettingsProblem(
                key: name, found: "is not a setting", rule: "only known variables have an effect",
                remedy: DidYouMean.nearest(to: name, in: names.sorted()).map { "Did you mean \($0)" } ?? "Unset it")
        }
    }
}

extension SettingsProblem {
    /// A value its rule does not allow. Secrets are not shown.
    static func broken(
        _ rule: SettingRule, at key: String, shown: String, from origin: SettingOrigin, initial: SettingValue?
    ) -> SettingsProblem {
        let isNumber = if case .integer = rule { Int(shown) != nil } else { false }
        let value = rule.isSecret ? "•••" : isNumber ? shown : "\"\(shown.prefix(80))\""
        return SettingsProblem(
            key: key, found: "is \(value) (\(origin))", rule: "must be \(rule.words)",
            remedy: rule.remedy(for: shown, initial: initial))
    }

    static func hubName(_ name: String, found: String) -> SettingsProblem {
        SettingsProblem(
            key: "hubs.\(name)", found: "is no name for a hub \(found)",
            rule: "must be 1 to 63 characters of a-z, 0-9, '_' and '-'",
            remedy: "Choose such a name; the hub's name at the service goes into \"hub\"")
    }
}
