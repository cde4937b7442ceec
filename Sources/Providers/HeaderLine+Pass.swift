import HTTPTransport
import Signing

extension HeaderLine {
    /// What lets a request in. People never see it.
    init(_ pass: Pass) throws(HeaderError) { try self.init("Authorization", pass.header.reveal(), isSecret: true) }
}
