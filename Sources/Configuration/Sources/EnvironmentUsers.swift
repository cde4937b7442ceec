import PushModel

/// People who are named by variables alone. Pure.
///
/// `FANFARE_CONSOLE_USERS_ANA_MAY` makes the person `ana`. A variable `…_PASSWORD` alone is most likely misspelt, and
/// makes none.
enum EnvironmentUsers {
    private static let prefix = "FANFARE_CONSOLE_USERS_"
    private static let ending = "_MAY"

    /// - Parameter users: those of file and command line; gets those of the environment.
    static func add(to users: inout Set<String>, from environment: [String: String]) {
        let keys = users.map { ["console", "users", $0, "may"] }
        let known = Set(
            keys.map(SettingsSources.environmentName) + keys.map(SettingsSources.shortEnvironmentName))
        for variable in environment.keys.sorted()
        where variable.hasPrefix(prefix) && variable.hasSuffix(ending) && !known.contains(variable) {
            let name = variable.dropFirst(prefix.count).dropLast(ending.count).lowercased()
            if PersonName.isOne(name) { users.insert(name) }
        }
    }
}
