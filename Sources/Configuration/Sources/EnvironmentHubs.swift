import Foundation
import PushModel

/// Hubs and languages that are named by variables alone. Pure but for the look whether a credential file exists.
///
/// `FANFARE_HUBS_NEWS_CONNECTION_STRING` makes the hub `news`, and `FANFARE_HUBS_NEWS_LANGUAGES_ZH_HANS` its language
/// `zh-Hans`; so does `…_SERVICE_ACCOUNT`, or the first secret of another kind of hub. A variable of a hub that neither has
/// such a secret nor is named elsewhere is most likely misspelt, and makes none.
enum EnvironmentHubs {
    static let prefix = "FANFARE_HUBS_"
    private static let languages = "LANGUAGES_"

    /// - Parameters:
    ///   - hubs: those of file and command line, with their locales; gets those of the environment.
    ///   - directories: where credential files are.
    static func add(
        to hubs: inout [String: Set<String>], from environment: [String: String], secretsIn directories: [String]
    ) {
        let variables = environment.keys.filter { $0.hasPrefix(prefix) }.sorted()
        for variable in variables {
            guard let name = hub(madeBy: variable, among: hubs.keys.sorted()) else { continue }
            if isSecret(variable, of: name) || hasCredential(name, in: directories) { hubs[name] = [] }
        }
        for variable in variables {
            guard let (name, rest) = owner(of: variable, among: hubs.keys.sorted()), rest.hasPrefix(languages) else {
                continue
            }
            let known = hubs[name, default: []].contains { key(name, "languages", $0).contains(variable) }
            if !known { hubs[name, default: []].insert(locale(rest.dropFirst(languages.count))) }
        }
    }

    /// The hub that a variable would make; nil: it belongs to a known one, or ends with no key.
    private static func hub(madeBy variable: String, among known: [String]) -> String? {
        if let (name, rest) = owner(of: variable, among: known), isKey(rest, of: name) { return nil }
        let rest = variable.dropFirst(prefix.count)
        let ending = endings.first { rest.hasSuffix($0) }.map { rest.dropLast($0.count) }
        let language = rest.firstRange(of: "_\(languages)").map { rest[..<$0.lowerBound] }
        guard let name = (ending ?? language)?.lowercased(), HubRules.isName(name), !known.contains(name) else {
            return nil
        }
        return name
    }

    /// The known hub whose variable it is, and what follows the hub's name; of several, the one with the longest name.
    private static func owner(of variable: String, among known: [String]) -> (hub: String, rest: Substring)? {
        known.map { (hub: $0, start: SettingsSources.environmentName(of: ["hubs", $0]) + "_") }
            .filter { variable.hasPrefix($0.start) }
            .max { $0.start.count < $1.start.count }
            .map { ($0.hub, variable.dropFirst($0.start.count)) }
    }

    private static func isKey(_ rest: Substring, of hub: String) -> Bool {
        rest.hasPrefix(languages) || endings.contains("_\(rest)")
    }

    private static func isSecret(_ variable: String, of hub: String) -> Bool {
        HubSecretKeys.primaries.contains { key(hub, $0).contains(variable) }
    }

    private static func hasCredential(_ hub: String, in directories: [String]) -> Bool {
        let names = HubSecretKeys.primaries.map { Credentials.fileName(of: ["hubs", hub, $0]) }
        return directories.contains { directory in
            names.contains { FileManager.default.fileExists(atPath: "\(directory)/\($0)") }
        }
    }

    /// The names of a variable.
    private static func key(_ hub: String, _ rest: String...) -> [String] {
        let key = ["hubs", hub] + rest
        return [SettingsSources.environmentName(of: key), SettingsSources.shortEnvironmentName(of: key)]
    }

    /// `_CONNECTION_STRING` and so on, the longest first: `…_SECONDARY_CONNECTION_STRING` is not of a hub `…_secondary`.
    private static let endings: [String] = Set(
        HubConfiguration.keys.flatMap { key in
            [SettingsSources.environmentName(of: [key.name]), SettingsSources.shortEnvironmentName(of: [key.name])]
        }.map { String($0.dropFirst("FANFARE".count)) }
    ).sorted { ($0.count, $0) > ($1.count, $1) }

    /// In the customary case; what is no locale is reported where locales are checked.
    private static func locale(_ text: Substring) -> String {
        let name = text.lowercased().replacing(scalars: "_", with: "-")
        // The loss is meant: the same text is checked again, with its key.
        return (try? LocaleTag(name))?.text ?? name
    }
}
