import PushModel
import Signing

/// One entry of `hubs` in config.json: the settings of a hub and its keys.
public struct HubConfiguration: Sendable, Equatable {
    public var settings: HubSettings
    /// After `Settings.load` never nil, and a valid `ConnectionString`.
    public var connectionString: Secret?
    /// The key to use while the first one is being replaced. Default: none.
    public var secondaryConnectionString: Secret?

    public init(settings: HubSettings, connectionString: Secret? = nil, secondaryConnectionString: Secret? = nil) {
        self.settings = settings
        self.connectionString = connectionString
        self.secondaryConnectionString = secondaryConnectionString
    }
}
