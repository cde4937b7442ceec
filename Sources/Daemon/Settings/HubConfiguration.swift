import PushModel
import Signing

/// One entry of `hubs` in config.json: how the hub is spoken to, and the keys to it.
public struct HubConfiguration: Sendable, Equatable {
    public var settings: HubSettings
    /// After `Settings.load` never nil, and known to parse as a `ConnectionString`.
    public var connectionString: Secret?
    /// The key that takes over while the first one is being replaced. Default: none.
    public var secondaryConnectionString: Secret?

    public init(settings: HubSettings, connectionString: Secret? = nil, secondaryConnectionString: Secret? = nil) {
        self.settings = settings
        self.connectionString = connectionString
        self.secondaryConnectionString = secondaryConnectionString
    }
}
