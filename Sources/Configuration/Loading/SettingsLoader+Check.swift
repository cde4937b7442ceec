import Signing

extension SettingsLoader {
    /// Checks the rules between keys, once every key has its value.
    ///
    /// - Parameter badFileKeys: keys whose value in the file was refused; they are not reported as missing too.
    mutating func check(badFileKeys: Set<String>) {
        checkDatabase("database.url", settings.database.url)
        if let url = settings.console.databaseURL { checkDatabase("console.databaseURL", url) }
        checkCertificates()
        checkMetrics()
        checkPages(badFileKeys: badFileKeys)
        checkPeople(badFileKeys: badFileKeys)
        for name in settings.hubs.keys.sorted() where !hubsOfNoKind.contains(name) {
            checkSecrets(of: name, badFileKeys: badFileKeys)
            checkHub(name, badFileKeys: badFileKeys)
        }
        checkProjects()
        checkVariables()
    }

    /// libpq takes a URI with an unknown scheme for the name of a database.
    private mutating func checkDatabase(_ key: String, _ secret: Secret) {
        let url = secret.reveal()
        guard let scheme = url.firstRange(of: "://").map({ url[..<$0.lowerBound] }), !scheme.contains("=") else {
            return
        }
        if scheme != "postgresql" && scheme != "postgres" {
            report(
                key, "is not a PostgreSQL address", "must begin with postgresql:// or postgres://",
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

    /// What is found where a secret is missing.
    static let notSet = "is not set"

    mutating func report(_ key: String, _ found: String, _ rule: String, _ remedy: String) {
        let origin = origins[key].map { " (\($0))" } ?? ""
        problems.append(SettingsProblem(key: key, found: found + origin, rule: rule, remedy: remedy))
    }

    mutating func warn(_ key: String, _ found: String, _ rule: String, _ remedy: String) {
        let origin = origins[key].map { " (\($0))" } ?? ""
        warnings.append(SettingsProblem(key: key, found: found + origin, rule: rule, remedy: remedy))
    }
}
