import Configuration
import Synchronization

/// The sources one above the other, as swift-configuration looks them up; beside each value, where it came from.
struct SettingsSources {
    enum Reading {
        case value(SettingValue, from: SettingOrigin)
        /// The source has something that is no value of this kind.
        case malformed(String, from: SettingOrigin)
    }

    private let reader: ConfigReader
    private let last = LastAccess()
    private let credentials: [String: String]
    private let file: String
    private let lines: [String: Int]

    /// - Parameter environment: variables that are set and not empty.
    init(
        overrides: [AbsoluteConfigKey: ConfigValue], environment: [String: String], credentials: Credentials,
        file: SettingsFile, path: String
    ) {
        self.credentials = credentials.paths
        self.file = path
        lines = file.lines
        // The one name that is not ours and that every platform sets.
        let platform = environment.filter { $0.key == "DATABASE_URL" }
        reader = ConfigReader(
            providers: [
                InMemoryProvider(name: "command line", values: overrides),
                EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: Self.prefix),
                EnvironmentVariablesProvider(environmentVariables: platform),
                InMemoryProvider(name: "credentials", values: credentials.values),
                InMemoryProvider(name: "settings file", values: file.values),
            ], accessReporter: last)
    }

    /// The value of the uppermost source that has one; nil: no source has.
    func read(_ key: [String], as rule: SettingRule) -> Reading? {
        let configKey = ConfigKey(key)
        let value: SettingValue? =
            switch rule {
            case .integer: reader.int(forKey: configKey).map(SettingValue.integer)
            case .flag: reader.bool(forKey: configKey).map(SettingValue.flag)
            case .choice, .text: reader.string(forKey: configKey).map(SettingValue.text)
            case .secret: reader.string(forKey: configKey, isSecret: true).map(SettingValue.text)
            }
        guard let level = last.level else { return nil }
        if let value { return .value(value, from: origin(of: key, level: level)) }
        // Only variables can be of the wrong kind here: the others were converted before they became a source.
        return .malformed(reader.string(forKey: configKey) ?? "", from: origin(of: key, level: level))
    }

    /// `FANFARE_DISPATCH_BATCH` for `dispatch.batch`: as the library itself encodes it.
    static func environmentName(of key: [String]) -> String {
        let provider = EnvironmentVariablesProvider(environmentVariables: [:]).prefixKeys(with: prefix)
        // A look-up in no variables at all has nothing that could fail to convert.
        return (try? provider.value(forKey: AbsoluteConfigKey(key), type: .string))?.encodedKey ?? ""
    }

    private static let prefix: ConfigKey = "fanfare"

    private func origin(of key: [String], level: Int) -> SettingOrigin {
        let dotted = key.joined(separator: ".")
        return switch level {
        case 0: .commandLine
        case 1: .environment(Self.environmentName(of: key))
        case 2: .environment("DATABASE_URL")
        case 3: .credential(credentials[dotted] ?? dotted)
        default: .file(file, line: lines[dotted] ?? 0)
        }
    }
}

/// Remembers which of the sources answered the last look-up.
private final class LastAccess: AccessReporter {
    private let answered = Mutex<Int?>(nil)

    /// The index of the source that had something, fit or not; nil: none had.
    var level: Int? { answered.withLock { $0 } }

    func report(_ event: AccessEvent) {
        let level = event.providerResults.lastIndex { result in
            switch result.result {
            case .success(let found): found.value != nil
            case .failure: true
            }
        }
        answered.withLock { $0 = level }
    }
}
