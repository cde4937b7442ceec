/// A policy's name and one of its keys: what it takes to sign.
public struct SigningKey: Sendable, Equatable {
    public let name: String
    public let key: Secret

    public init(name: String, key: Secret) {
        self.name = name
        self.key = key
    }
}

extension ConnectionString {
    public var signingKey: SigningKey { SigningKey(name: keyName, key: key) }
}
