/// What may share an HTTP/2 connection: requests to one origin with one credential.
///
/// Some services bind a connection to the first credential that it carries and refuse others on it. HTTP/1.1 has a connection
/// for each request in flight, and nobody binds those: there the group means nothing.
public struct ConnectionGroup: Sendable {
    /// The credential, by a number of its own. Default: 0, for services that bind nothing.
    public var credential: Int64
    /// Counts up when the service has made the credential's connections unusable, and when its identity is replaced: a request
    /// of a newer generation retires the connections of the older ones, which carry no more requests and close when the last
    /// one has ended. Default: 0.
    public var generation: Int64
    /// The certificate that its connections show to a server that asks for one; nil: none. Requests of one credential and one
    /// generation name the same one: another one is refused, and nothing of that request leaves.
    public var identity: (any ClientIdentity)?

    public init(credential: Int64 = 0, generation: Int64 = 0, identity: (any ClientIdentity)? = nil) {
        self.credential = credential
        self.generation = generation
        self.identity = identity
    }
}

extension ConnectionGroup: Hashable {
    public static func == (one: ConnectionGroup, other: ConnectionGroup) -> Bool {
        one.credential == other.credential && one.generation == other.generation && one.identity === other.identity
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(credential)
        hasher.combine(generation)
    }
}

extension ConnectionGroup: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of the identity, which holds a private key.
    public var description: String {
        "credential \(credential), generation \(generation)" + (identity == nil ? "" : ", a client certificate")
    }

    public var debugDescription: String { description }

    /// `dump` and other reflection find no identity either.
    public var customMirror: Mirror {
        Mirror(self, children: ["credential": credential, "generation": generation, "hasIdentity": identity != nil])
    }
}
