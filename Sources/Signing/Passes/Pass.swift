/// Permission to post to one service, for a while: a shared access signature, an access token, a signed claim.
///
/// What it looks like is known to the kind of hub alone (`PassSource`); everybody else sends it, and names it when the
/// service refuses it.
public struct Pass: Sendable {
    /// The whole value of the `Authorization` header; nil: the connection shows by itself who we are, with a certificate.
    public let header: Secret?
    /// Two passes of one source are the same when their numbers are: what a service says about one holds for the other.
    public let number: Int64
    /// Seconds since 1970-01-01 UTC; refused from that second on.
    public let expiry: Int64
    /// Of which credential it is, by a number that stays the same in this process: what services bind their connections to.
    /// Default: 0, for services that bind nothing.
    public let credential: Int64
    /// Counts up when the service has made the connections of the credential unusable. Default: 0.
    public let generation: Int64
    /// What its connections show in place of a header; nil: nothing. One credential always has the same one.
    public let certificate: ClientCertificate?

    public init(
        header: Secret?, number: Int64, expiry: Int64, credential: Int64 = 0, generation: Int64 = 0,
        certificate: ClientCertificate? = nil
    ) {
        self.header = header
        self.number = number
        self.expiry = expiry
        self.credential = credential
        self.generation = generation
        self.certificate = certificate
    }
}

extension Pass: Equatable {
    /// By number: nobody compares secrets on the way of a message.
    public static func == (one: Pass, other: Pass) -> Bool { one.number == other.number }
}
