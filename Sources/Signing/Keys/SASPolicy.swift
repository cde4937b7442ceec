/// A right that a shared access policy grants.
public enum Right: String, Sendable, CaseIterable {
    case send
    case listen
    case manage
}

/// One shared access policy of a hub, as the checking side knows it.
public struct SASPolicy: Sendable, Equatable {
    public var name: String
    public var key: Secret
    /// A second key of the same rights, so that keys can be replaced one at a time.
    public var secondaryKey: Secret?
    public var rights: Set<Right>

    /// - Parameter rights: default: all three, like `DefaultFullSharedAccessSignature`.
    public init(name: String, key: Secret, secondaryKey: Secret? = nil, rights: Set<Right> = Set(Right.allCases)) {
        self.name = name
        self.key = key
        self.secondaryKey = secondaryKey
        self.rights = rights
    }
}
