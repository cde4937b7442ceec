import PushModel
import Signing

extension SettingsLoader {
    /// Both accounts can sign and are of one project, which follows from the first if it is not set.
    mutating func checkAccounts(_ secret: Secret, of hub: HubConfiguration, badFileKeys: Set<String>) {
        var hub = hub
        let name = hub.settings.name
        let key = "hubs.\(name).serviceAccount"
        guard let primary = account(secret, at: key) else { return }
        checkPlace(primary, at: key, of: hub.settings, badFileKeys)
        let isChosen = origins["hubs.\(name).project"] != nil
        if isChosen {
            compareProjects(primary, at: key, with: hub.settings)
        } else {
            hub.settings.project = primary.project
            origins["hubs.\(name).project"] = origins[key]
            settings.hubs[name] = hub
        }
        let secondKey = "hubs.\(name).secondaryServiceAccount"
        guard let second = hub.secondaryServiceAccount, let secondary = account(second, at: secondKey) else { return }
        checkPlace(secondary, at: secondKey, of: hub.settings, badFileKeys)
        if isChosen {
            compareProjects(secondary, at: secondKey, with: hub.settings)
        } else if secondary.project != primary.project {
            report(
                secondKey, "is of project \(secondary.project)", "serviceAccount is of project \(primary.project)",
                "Use an account of that project, or set hubs.\(name).project if both may send for one")
        }
        if second == secret || secondary.keyID != nil && secondary.keyID == primary.keyID {
            warn(
                secondKey, "has the key of serviceAccount", "a key cannot take over from itself",
                "Make a second key for the account, or leave it out")
        }
    }

    /// Tokens of an emulator are of use there alone, and those of the service must not reach another program.
    private mutating func checkPlace(
        _ account: ServiceAccount, at key: String, of hub: HubSettings, _ badFileKeys: Set<String>
    ) {
        let endpoint = "hubs.\(hub.name).endpoint"
        guard hub.endpoint != nil || isNotGiven(endpoint, badFileKeys: badFileKeys) else { return }
        let (token, host) = (account.tokenAddress, account.tokenAddress.host)
        switch (token.isOnThisMachine, hub.endpoint) {
        case (true, nil):
            report(
                key, "is an emulator's: its token_uri is on \(host)",
                "\(endpoint) is not set, so the emulator's tokens would go to Google",
                "Set \(endpoint) to \(token.origin), or use an account that Google made")
        case (false, let address?) where address.hasPrefix("http://"):
            report(
                key, "is no emulator's: its token_uri is on \(host)",
                "\(endpoint) is \(address), so Google's tokens would go to a program on this machine",
                "Use the account that the emulator there has made, or leave \(endpoint) out")
        default: break
        }
    }

    /// An account can be given rights in other projects, so this is odd and not wrong.
    private mutating func compareProjects(_ account: ServiceAccount, at key: String, with hub: HubSettings) {
        // Empty: the project that is set was refused.
        guard !hub.project.isEmpty, account.project != hub.project else { return }
        warn(
            key, "is of project \(account.project), and hub \(hub.name) sends for \(hub.project)",
            "the service refuses an account without rights in that project",
            "Use an account of \(hub.project), or correct hubs.\(hub.name).project")
    }

    private mutating func account(_ secret: Secret, at key: String) -> ServiceAccount? {
        do throws(ServiceAccountError) {
            let account = try ServiceAccount(parsing: secret.reveal())
            if HubRules.isProject(account.project) { return account }
            report(key, "has a project_id that is no project", "it becomes part of the service's URL", Self.newKey)
        } catch {
            report(key, "cannot be used", "\(error)", Self.newKey)
        }
        return nil
    }

    private static let newKey =
        "Put the unchanged text of the account's key file here; the Firebase console makes one under Project settings, "
        + "Service accounts"

    /// Two hubs of one project share its quota without knowing of each other.
    mutating func checkProjects() {
        let hubs = settings.hubs.values.map(\.settings).filter { $0.kind == .fcm && !$0.project.isEmpty }
        let shared = Dictionary(grouping: hubs.sorted { $0.name < $1.name }) { [$0.endpoint ?? "", $0.project] }
        for hubs in shared.values.sorted(by: { $0[0].name < $1[0].name }) where hubs.count > 1 {
            for hub in hubs.dropFirst() {
                warn(
                    "hubs.\(hub.name).project", "is \(hub.project), as at hub \(hubs[0].name)",
                    "both use one quota, but each has its own ratePerSecond and slows down alone",
                    "Use one hub, or another project")
            }
        }
    }
}
