/// What may share an HTTP/2 connection: requests to one origin with one credential.
///
/// Some services bind a connection to the first credential that it carries and refuse others on it. HTTP/1.1 has a connection
/// for each request in flight, and nobody binds those: there the group means nothing.
public struct ConnectionGroup: Sendable, Hashable {
    /// The credential, by a number of its own. Default: 0, for services that bind nothing.
    public var credential: Int64
    /// Counts up when the service has made the credential's connections unusable: a request of a newer generation retires
    /// those of the older ones, which carry no more requests and close when the last one has ended. Default: 0.
    public var generation: Int64

    public init(credential: Int64 = 0, generation: Int64 = 0) {
        self.credential = credential
        self.generation = generation
    }
}
