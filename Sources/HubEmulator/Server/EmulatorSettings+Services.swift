extension EmulatorSettings {
    /// All hubs and senders, in the order of the settings. A sender has no policies.
    var services: [(hub: Hub, service: HubEmulator.Service)] {
        hubs.map { ($0, .notificationHub) }
            + senders.map { (Hub($0.name, policies: []), .fcm($0)) }
            + apnsSenders.map { (Hub($0.name, policies: []), .apns($0)) }
    }

    /// The names that a hub cannot have, in lower case, with the service whose addresses begin with them.
    var reservedNames: [String: String] {
        var names: [String: String] = [:]
        if !senders.isEmpty { for name in FCMOperation.reservedNames { names[name] = "FCM" } }
        if !apnsSenders.isEmpty { names[APNsOperation.reservedName] = "APNs" }
        return names
    }
}

extension HubEmulator {
    // `EmulatorSettings` has a `Hub` of its own.
    typealias Service = Hub.Service
}
