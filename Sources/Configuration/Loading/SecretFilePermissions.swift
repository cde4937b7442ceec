import Glibc
import Signing

/// Finds files with secrets that every user of this machine can read.
enum SecretFilePermissions {
    /// Looks at the settings file, when it holds a key or a password, and at credential files in
    /// `$CREDENTIALS_DIRECTORY`. Not at `/run/secrets`: Docker and Kubernetes mount it readable for every user of the
    /// container.
    static func problems(of settings: Settings, origins: [String: SettingOrigin]) -> [SettingsProblem] {
        var seen: Set<String> = []
        return origins.sorted { $0.key < $1.key }.compactMap { key, origin in
            let path: String
            switch origin {
            case .file(let file, _) where isSecret(key, in: settings): path = file
            case .credential(let file) where !file.hasPrefix("/run/secrets/"): path = file
            default: return nil
            }
            guard seen.insert(path).inserted, isReadableByAll(path) else { return nil }
            return SettingsProblem(
                key: path, found: "can be read by every user of this machine, and holds \(key)",
                rule: "a file with secrets must be readable only for the user of the service",
                remedy: "Run: chmod 600 \(path)")
        }
    }

    /// Whether the value is of use to an attacker. The key of a hub on loopback, such as the emulator's, is not, and
    /// neither is an account whose tokens come from there, or an address without a password.
    private static func isSecret(_ key: String, in settings: Settings) -> Bool {
        if key == "database.url" { return hasPassword(settings.database.url.reveal()) }
        if key == "console.databaseURL" { return hasPassword(settings.console.databaseURL?.reveal() ?? "") }
        // A hash lets its reader guess passwords without being seen.
        if key == SettingsLoader.metricsToken || SettingsLoader.isPassword(key) { return true }
        let parts = key.split(separator: ".").map(String.init)
        guard parts.count == 3, parts[0] == "hubs", let hub = settings.hubs[parts[1]] else { return false }
        switch parts[2] {
        case "connectionString": return isRemote(hub.connectionString)
        case "secondaryConnectionString": return isRemote(hub.secondaryConnectionString)
        case "serviceAccount": return isRemote(account: hub.serviceAccount)
        case "secondaryServiceAccount": return isRemote(account: hub.secondaryServiceAccount)
        default: return false
        }
    }

    private static func isRemote(_ text: Secret?) -> Bool {
        guard let text, let connection = try? ConnectionString(parsing: text.reveal()) else { return false }
        return !connection.base.hasPrefix("http://")  // only loopback may be plain HTTP
    }

    private static func isRemote(account text: Secret?) -> Bool {
        guard let text, let account = try? ServiceAccount(parsing: text.reveal()) else { return false }
        return !account.tokenAddress.isOnThisMachine
    }

    /// `password=` in any form, or `user:password@` in a URI.
    private static func hasPassword(_ url: String) -> Bool {
        if url.lowercased().contains("password") { return true }
        guard let scheme = url.firstRange(of: "://") else { return false }
        let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
        guard let at = authority.lastIndex(of: "@") else { return false }
        return authority[..<at].contains(":")
    }

    private static func isReadableByAll(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
    }
}
