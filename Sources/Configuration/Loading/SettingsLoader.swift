import PushModel

/// Makes `Settings` from the sources: one pass over the key table that collects every problem.
struct SettingsLoader {
    var settings = Settings()
    /// By dotted key; also those of refused values.
    var origins: [String: SettingOrigin] = [:]
    var problems: [SettingsProblem] = []
    var warnings: [SettingsProblem] = []
    /// Hubs whose `kind` was refused: which of their keys are right is not known.
    var hubsOfNoKind: Set<String> = []

    /// - Parameter path: nil: no file.
    /// - Throws: the problem that makes the file unusable.
    mutating func load(
        path: String?, environment: [String: String], overrides: [String: String], secrets: String
    ) throws(SettingsProblem) {
        let file = if let path { try SettingsFile(path: path) } else { SettingsFile() }
        problems += file.problems
        warnings += file.unknown
        settings.file = path
        var (hubs, users) = (file.hubs, file.users)
        let options = take(overrides, hubs: &hubs, users: &users)
        let secretsIn = [environment["CREDENTIALS_DIRECTORY"], secrets].compactMap(\.self)
        EnvironmentHubs.add(to: &hubs, from: environment, secretsIn: secretsIn)
        EnvironmentUsers.add(to: &users, from: environment)
        let keys = Self.keys(of: hubs, users)
        let credentials = Credentials(
            for: keys.filter { SettingsTree.root.rule(of: $0)?.isSecret == true },
            in: secretsIn)
        problems += credentials.problems
        warnings += credentials.unknown
        warnings += Self.unknownVariables(environment, keys: keys)

        let sources = SettingsSources(
            commandLine: options, environment: environment, credentials: credentials.values, file: file.values,
            keys: keys)
        var top = settings
        for key in Settings.keys { fill(key, at: key.name, of: &top, from: sources) }
        settings = top
        for name in users.sorted() {
            var user = ConsoleUser()
            for key in ConsoleUser.keys { fill(key, at: "console.users.\(name).\(key.name)", of: &user, from: sources) }
            settings.console.users[name] = user
        }
        let refused = Set(file.problems.map(\.key))
        for (name, locales) in hubs.sorted(by: { $0.key < $1.key }) {
            let keys = HubConfiguration.keys + locales.sorted().map(HubConfiguration.language)
            settings.hubs[name] = hub(name, keys, from: sources, refused: refused)
        }
        check(badFileKeys: refused)
    }

    /// - Throws: `SettingsError` when there is any problem.
    consuming func finished(
        _ unknownKeys: Settings.UnknownKeys, _ scope: Settings.Scope
    ) throws(SettingsError) -> Settings {
        switch scope {
        case .everything: break
        case .work:
            // A hub with wrong settings has its own problem already.
            if settings.hubs.isEmpty, !problems.contains(where: { $0.key.hasPrefix("hubs") }) {
                problems.append(.noHubs)
            }
        case .database:
            problems.removeAll { $0.key.hasPrefix("hubs.") || $0.key == Self.caFile || $0.isOfTheServer }
            warnings.removeAll { $0.isOfTheServer }
        case .pages:
            problems.removeAll {
                $0.key.hasPrefix("hubs.") || $0.key == Self.caFile || $0.key == Self.metricsToken
            }
            // A wrong address has its own problem already.
            if settings.console.pages == nil, !problems.contains(where: { $0.key == SettingsProblem.noPages.key }) {
                problems.append(.noPages)
            }
        case .registration:
            problems.removeAll { problem in
                problem.found == Self.notSet && HubSecretKeys.primaries.contains { problem.key.hasSuffix(".\($0)") }
                    || problem.key == Self.caFile || problem.isOfTheServer
            }
            warnings.removeAll { $0.isOfTheServer }
        }
        if unknownKeys == .refuse {
            problems += warnings
            warnings = []
        }
        // Never an error: permissions are not part of the file, and `config check` also runs on other machines.
        warnings += SecretFilePermissions.problems(of: settings, origins: origins)
        guard problems.isEmpty else { throw SettingsError(problems: problems, warnings: warnings) }
        settings.origins = origins
        settings.warnings = warnings
        return settings
    }

    /// The options of the command line as a source. They may name a hub, a locale or a person that no file names.
    private mutating func take(
        _ overrides: [String: String], hubs: inout [String: Set<String>], users: inout Set<String>
    ) -> SettingsSources.Source {
        var values: SettingsSources.Source = [:]
        for (dotted, text) in overrides.sorted(by: { $0.key < $1.key }) {
            let key = SettingsTree.components(of: dotted)
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
            if key.count == 4, key.starts(with: ["console", "users"]) {
                guard PersonName.isOne(key[2]) else {
                    problems.append(.userName(key[2], found: "(command line)"))
                    continue
                }
                users.insert(key[2])
            }
            guard let value = rule.value(ofOption: text) else {
                problems.append(.broken(rule, at: dotted, shown: text, from: .commandLine, initial: nil))
                continue
            }
            values[dotted] = SourcedValue(value: value, origin: .commandLine)
        }
        return values
    }

    /// - Parameter refused: keys whose value in the file is no value of theirs.
    private mutating func hub(
        _ name: String, _ keys: [SettingKey<HubConfiguration>], from sources: SettingsSources, refused: Set<String>
    ) -> HubConfiguration {
        var hub = HubConfiguration(settings: HubSettings(name: name))
        // `kind` is the first of the keys; which others the hub has depends on it.
        for key in keys {
            let path = "hubs.\(name).\(key.name)"
            if key.kinds.contains(hub.settings.kind) {
                fill(key, at: path, of: &hub, from: sources)
                if key.name == "kind", refused.contains(path) || problems.contains(where: { $0.key == path }) {
                    hubsOfNoKind.insert(name)
                }
            } else if let found = sources[path], !hubsOfNoKind.contains(name) {
                origins[path] = found.origin
                problems.append(.ofOtherKind(key, at: path, of: hub.settings, from: found.origin))
            }
        }
        return hub
    }

    private mutating func fill<Owner>(
        _ key: SettingKey<Owner>, at path: String, of owner: inout Owner, from sources: SettingsSources
    ) {
        guard let found = sources[path] else { return }
        origins[path] = found.origin
        let value: SettingValue? =
            if case .environment = found.origin { key.rule.value(ofVariable: "\(found.value)") } else { found.value }
        if let value, key.rule.holds(value) {
            key.set(&owner, value)
        } else {
            problems.append(
                .broken(
                    key.rule, at: path, shown: "\(value ?? found.value)", from: found.origin, initial: key.get(owner)))
        }
    }

    private static func keys(of hubs: [String: Set<String>], _ users: Set<String>) -> [[String]] {
        Settings.keys.map { $0.name.split(separator: ".").map(String.init) }
            + users.sorted().flatMap { name in ConsoleUser.keys.map { ["console", "users", name, $0.name] } }
            + hubs.sorted { $0.key < $1.key }.flatMap { name, locales in
                HubConfiguration.keys.map { ["hubs", name, $0.name] }
                    + locales.sorted().map { ["hubs", name, "languages", $0] }
            }
    }

    private static func unknownVariables(_ environment: [String: String], keys: [[String]]) -> [SettingsProblem] {
        let names = Set(keys.map(SettingsSources.environmentName))
        let short = Dictionary(keys.map { (SettingsSources.shortEnvironmentName(of: $0), $0) }) { one, _ in one }
        let twice = short.sorted { $0.key < $1.key }.compactMap { name, key -> SettingsProblem? in
            let long = SettingsSources.environmentName(of: key)
            guard long != name, environment[long] != nil, environment[name] != nil else { return nil }
            return SettingsProblem(
                key: name, found: "is set beside \(long)", rule: "both are \(key.joined(separator: "."))",
                remedy: "Unset \(name): it has no effect")
        }
        let known = names.union(short.keys)
        return twice
            + environment.keys.sorted().filter { $0.hasPrefix("FANFARE_") && !known.contains($0) }.map { name in
                SettingsProblem(
                    key: name, found: "is not a setting", rule: "only known variables have an effect",
                    remedy: DidYouMean.nearest(to: name, in: names.sorted()).map { "Did you mean \($0)" } ?? "Unset it")
            }
    }
}

extension SettingsProblem {
    /// About a secret that only the machine with the worker has to have.
    fileprivate var isOfTheServer: Bool {
        key == SettingsLoader.metricsToken && found == SettingsLoader.notSet || key == SettingsLoader.users
            || SettingsLoader.isPassword(key) && found == SettingsLoader.notSet
    }

    /// A value that its rule does not allow. Secrets are not shown.
    static func broken(
        _ rule: SettingRule, at key: String, shown: String, from origin: SettingOrigin, initial: SettingValue?
    ) -> SettingsProblem {
        let isNumber = if case .integer = rule { Int(shown) != nil } else { false }
        let value = rule.isSecret ? "•••" : isNumber ? shown : "\"\(shown.prefix(80))\""
        return SettingsProblem(
            key: key, found: "is \(value) (\(origin))", rule: "must be \(rule.words)",
            remedy: rule.remedy(for: shown, initial: initial))
    }

    /// A key that hubs of this kind do not have.
    static func ofOtherKind(
        _ key: SettingKey<HubConfiguration>, at path: String, of hub: HubSettings, from origin: SettingOrigin
    ) -> SettingsProblem {
        let kinds = key.kinds.map(\.rawValue).joined(separator: " or ")
        let other = HubSecretKeys(of: hub.kind).counterpart(of: key.name)
        return SettingsProblem(
            key: path, found: "is for kind \(kinds); hub \(hub.name) is \(hub.kind.rawValue) (\(origin))",
            rule: "a hub has only the keys of its kind",
            remedy: (other.map { "Set \($0) instead" } ?? "Remove it") + ", or set hubs.\(hub.name).kind to \(kinds)")
    }

    /// Nothing to post to.
    public static let noHubs = SettingsProblem(
        key: "hubs", found: "names no hub", rule: "a worker needs one to post to",
        remedy: "Add one under hubs in the settings, or set FANFARE_HUBS_NAME_CONNECTION_STRING with its name for NAME")

    public static let noPages = SettingsProblem(
        key: "console.pages", found: "is off", rule: "pages are served at an address",
        remedy: "Set it to 127.0.0.1:9470, or run fanfare console, which needs no setting and lets you in by a link")

    static func userName(_ name: String, found: String) -> SettingsProblem {
        SettingsProblem(
            key: "console.users.\(name)", found: "does not name a person \(found)", rule: "must be \(PersonName.rule)",
            remedy: "Choose such a name")
    }

    static func hubName(_ name: String, found: String) -> SettingsProblem {
        SettingsProblem(
            key: "hubs.\(name)", found: "is not a valid hub name \(found)",
            rule: "must be 1 to 63 characters of a-z, 0-9, '_' and '-'",
            remedy: "Choose such a name; the hub's name at the service belongs into \"hub\"")
    }
}
