/// What a shared access policy may allow.
public enum Right: String, Sendable, CaseIterable {
    case send
    case listen
    case manage
}

/// One shared access policy of a hub, as the side that checks tokens knows it.
public struct SASPolicy: Sendable, Equatable {
    public var name: String
    public var key: Secret
    /// A second key that is just as good, so that keys can be changed one at a time.
    public var secondaryKey: Secret?
    public var rights: Set<Right>

    /// - Parameter rights: default: all three, as of `DefaultFullSharedAccessSignature`.
    public init(name: String, key: Secret, secondaryKey: Secret? = nil, rights: Set<Right> = Set(Right.allCases)) {
        self.name = name
        self.key = key
        self.secondaryKey = secondaryKey
        self.rights = rights
    }
}
