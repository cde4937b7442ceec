/// What not every tier has (notification-hubs.md sections 3.2 and 5).
enum TierCapability: String, CaseIterable {
    /// The notification's id in `Location`, and with it everything that is asked by id.
    case notificationID = "The notification id"
    case telemetry = "The telemetry of a notification"
    case schedule = "The scheduled send"
    case feedback = "The feedback of the platform services"
    case batch = "The batch direct send"
}

extension EmulatorSettings.Tier {
    func has(_ feature: TierCapability) -> Bool {
        switch (feature, self) {
        case (_, .standard), (.batch, .basic): true
        case (_, .basic), (_, .free): false
        }
    }

    /// - Throws: the 403 the service answers where the tier lacks it.
    func check(_ feature: TierCapability) throws(ServiceError) {
        guard has(feature) else { throw .notInTier(feature.rawValue) }
    }
}
