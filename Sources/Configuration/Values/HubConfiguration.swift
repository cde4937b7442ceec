import PushModel
import Signing

/// One entry of `hubs` in config.json: the settings of a hub and its secrets.
///
/// `HubSecretKeys` says which secrets a hub of a kind has; the others are nil.
public struct HubConfiguration: Sendable, Equatable {
    public var settings: HubSettings
    /// After `Settings.load` a valid `ConnectionString`, and never nil for kind `notificationHubs`.
    public var connectionString: Secret?
    /// The key to use while the first one is being replaced. Default: none.
    public var secondaryConnectionString: Secret?
    /// The text of a JSON key file. After `Settings.load` a valid `ServiceAccount`, and never nil for kind `fcm`.
    public var serviceAccount: Secret?
    /// The account to use while the first one's key is being replaced. Default: none.
    public var secondaryServiceAccount: Secret?

    public init(
        settings: HubSettings, connectionString: Secret? = nil, secondaryConnectionString: Secret? = nil,
        serviceAccount: Secret? = nil, secondaryServiceAccount: Secret? = nil
    ) {
        self.settings = settings
        self.connectionString = connectionString
        self.secondaryConnectionString = secondaryConnectionString
        self.serviceAccount = serviceAccount
        self.secondaryServiceAccount = secondaryServiceAccount
    }
}
