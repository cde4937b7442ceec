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
    /// What a hub of kind `apns` proves itself with. After `Settings.load` either `key` or `certificate` is set there, and valid.
    public var apns = APNsSecrets()

    public init(
        settings: HubSettings, connectionString: Secret? = nil, secondaryConnectionString: Secret? = nil,
        serviceAccount: Secret? = nil, secondaryServiceAccount: Secret? = nil, apns: APNsSecrets = APNsSecrets()
    ) {
        self.settings = settings
        self.connectionString = connectionString
        self.secondaryConnectionString = secondaryConnectionString
        self.serviceAccount = serviceAccount
        self.secondaryServiceAccount = secondaryServiceAccount
        self.apns = apns
    }
}

/// A developer team's key, or two, or a client certificate: what a hub of kind `apns` proves itself with.
public struct APNsSecrets: Sendable, Equatable {
    /// The developer team's id. Needed with a key.
    public var team: String?
    /// Which of the team's keys `key` is. Needed with it.
    public var keyID: String?
    /// The text of a .p8 file.
    public var key: Secret?
    /// Which of the team's keys `secondaryKey` is. Needed with it.
    public var secondaryKeyID: String?
    /// The key to use while the first one is being replaced. Default: none.
    public var secondaryKey: Secret?
    /// In place of a key: a client certificate in PEM form. It is not secret, but it belongs to one that is.
    public var certificate: Secret?
    /// The certificate's private key, in PEM form.
    public var certificateKey: Secret?
    /// Of `certificateKey`. Default: it is not encrypted.
    public var certificatePassword: Secret?

    public init() {}

    /// - Throws: `ProviderKeyError`; nil: there is none.
    public func primary() throws(ProviderKeyError) -> ProviderKey? {
        guard let key else { return nil }
        return try ProviderKey(pem: key, keyID: keyID ?? "", team: team ?? "")
    }

    /// - Throws: `ProviderKeyError`; nil: there is none.
    public func secondary() throws(ProviderKeyError) -> ProviderKey? {
        guard let secondaryKey else { return nil }
        return try ProviderKey(pem: secondaryKey, keyID: secondaryKeyID ?? "", team: team ?? "")
    }

    /// - Throws: `ClientCertificateError`; nil: there is none.
    public func clientCertificate() throws(ClientCertificateError) -> ClientCertificate? {
        guard let certificate else { return nil }
        return try ClientCertificate(
            certificate: certificate.reveal(), key: certificateKey ?? Secret(""), password: certificatePassword)
    }
}
