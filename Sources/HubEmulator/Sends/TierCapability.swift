/// What not every tier has (docs/wire/notification-hubs.md, "Limits and tiers").
enum TierCapability: String, CaseIterable {
    /// The notification's id in `Location`, and all requests that need it.
    case notificationID = "The notification id"
    case telemetry = "The telemetry of a notification"
    case schedule = "The scheduled send"
    case feedback = "The feedback of the platform services"
    case batch = "The batch direct send"
}

extension EmulatorSettings.Tier {
    func has(_ capability: TierCapability) -> Bool {
        switch (capability, self) {
        case (_, .standard), (.batch, .basic): true
        case (_, .basic), (_, .free): false
        }
    }

    /// - Throws: the service's 403 when the tier lacks it.
    func check(_ capability: TierCapability) throws(ServiceError) {
        guard has(capability) else { throw .notInTier(capability.rawValue) }
    }
}
