import Signing

extension SettingsLoader {
    /// Both keys parse and are of one hub, whose name follows from them if it is not set.
    mutating func checkConnection(_ secret: Secret, of hub: HubConfiguration) {
        var hub = hub
        let name = hub.settings.name
        let key = "hubs.\(name).connectionString"
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
}
