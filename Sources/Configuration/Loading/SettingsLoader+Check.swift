import PushModel
import Signing

extension SettingsLoader {
    /// Checks the rules between keys, once every key has its value.
    ///
    /// - Parameter badFileKeys: keys whose value in the file was refused; they are not reported as missing too.
    mutating func check(badFileKeys: Set<String>) {
        checkDatabase()
        checkCertificates()
        checkMetrics()
        for name in settings.hubs.keys.sorted() {
            checkConnection(of: name, isReported: badFileKeys.contains("hubs.\(name).connectionString"))
            checkHub(name, badFileKeys: badFileKeys)
        }
        checkVariables()
    }

    /// libpq takes a URI with an unknown scheme for the name of a database.
    private mutating func checkDatabase() {
        let url = settings.database.url.reveal()
        guard let scheme = url.firstRange(of: "://").map({ url[..<$0.lowerBound] }), !scheme.contains("=") else {
            return
        }
        if scheme != "postgresql" && scheme != "postgres" {
            report(
                "database.url", "is not a PostgreSQL address", "must begin with postgresql:// or postgres://",
                "Correct the scheme")
        }
    }

    private mutating func checkCertificates() {
        let file = settings.transport.caFile
        guard !file.isEmpty, let fault = CertificateFile.fault(of: file) else { return }
        report(
            Self.caFile, "is \(file), which \(fault)", "a hub's certificate cannot be verified without it",
            "Correct the path, or leave it out for the system's certificates")
    }

    static let caFile = "transport.caFile"

    private mutating func checkMetrics() {
        let console = settings.console
        for (key, addresses) in [("console.listen", console.listen), ("console.metrics", console.metrics)]
        where addresses.count == 2 && addresses[0] == addresses[1] && addresses[0].port != 0 {
            report(key, "has \(addresses[0]) twice", "an address serves once", "Remove one of the two")
        }
        for address in console.metrics where address.port != 0 && console.listen.contains(address) {
            report(
                "console.metrics", "is \(address)", "an address serves once, and console.listen has this one",
                "Remove it: console.listen serves /metrics, too")
        }
        if let token = console.metricsToken {
            guard !BearerToken.isOne(token) else { return }
            report(
                Self.metricsToken, "is no token that fits", "must be \(BearerToken.rule)",
                "Make one: openssl rand -hex 32")
        } else if let open = console.metrics.first(where: { !$0.isLoopback }) {
            let key = Self.metricsToken.split(separator: ".").map(String.init)
            report(
                Self.metricsToken, Self.notSet, "console.metrics is \(open), which other machines can reach",
                "Set \(SettingsSources.environmentName(of: key)), or the credential file \(Credentials.fileName(of: key)), "
                    + "or listen on 127.0.0.1")
        }
    }

    static let metricsToken = "console.metricsToken"

    private mutating func checkConnection(of name: String, isReported: Bool) {
        guard var hub = settings.hubs[name] else { return }
        let key = "hubs.\(name).connectionString"
        guard let secret = hub.connectionString else {
            if isReported { return }
            let components = ["hubs", name, "connectionString"]
            let variable = SettingsSources.environmentName(of: components)
            let credential = Credentials.fileName(of: components)
            return report(
                key, Self.notSet, "every hub needs one", "Set \(variable), or the credential file \(credential)")
        }
        guard let primary = parse(secret, at: key) else { return }
        do throws(ConnectionStringError) {
            let configured = origins["hubs.\(name).hub"] == nil ? nil : hub.settings.hub
            if let resolved = try primary.hub(configured: configured), configured == nil {
                guard HubRules.isHubName(resolved) else {
                    return report(key, "has an invalid EntityPath", "EntityPath must be the name of a hub", Self.copy)
                }
                hub.settings.hub = resolved
                origins["hubs.\(name).hub"] = origins[key]
                settings.hubs[name] = hub
            }
        } catch {
            report(key, "is for another hub", "\(error)", "Set hubs.\(name).hub to that hub, or remove EntityPath")
        }
        let secondKey = "hubs.\(name).secondaryConnectionString"
        guard let second = hub.secondaryConnectionString, let secondary = parse(second, at: secondKey) else { return }
        if secondary.base != primary.base || secondary.entityPath?.lowercased() != primary.entityPath?.lowercased() {
            report(
                secondKey, "is for another hub", "must have the Endpoint and EntityPath of connectionString",
                "Copy the secondary key of the same policy")
        } else if secondary.keyName == primary.keyName, secondary.key == primary.key {
            warn(
                secondKey, "is the key of connectionString", "a key cannot take over from itself",
                "Copy the secondary key of the same policy, or leave it out")
        }
    }

    /// What is found where a connection string is missing.
    static let notSet = "is not set"

    private mutating func parse(_ secret: Secret, at key: String) -> ConnectionString? {
        do throws(ConnectionStringError) {
            return try ConnectionString(parsing: secret.reveal())
        } catch .plainHTTP {
            report(
                key, "has an http:// endpoint", "a key must not cross a network unencrypted",
                "Use sb:// or https://; http:// is for an emulator on loopback")
        } catch {
            report(key, "cannot be read", "\(error)", Self.copy)
        }
        return nil
    }

    private static let copy =
        "Copy it from the hub's access policies: Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…"

    mutating func report(_ key: String, _ found: String, _ rule: String, _ remedy: String) {
        let origin = origins[key].map { " (\($0))" } ?? ""
        problems.append(SettingsProblem(key: key, found: found + origin, rule: rule, remedy: remedy))
    }

    mutating func warn(_ key: String, _ found: String, _ rule: String, _ remedy: String) {
        let origin = origins[key].map { " (\($0))" } ?? ""
        warnings.append(SettingsProblem(key: key, found: found + origin, rule: rule, remedy: remedy))
    }
}
