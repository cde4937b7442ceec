import HTTPTransport
import Signing

extension HeaderLine {
    /// What lets a request in. People never see it.
    ///
    /// - Throws: `blankValue` for a pass without a header: a request that needs one must not leave without.
    init(_ pass: Pass) throws(HeaderError) {
        try self.init("Authorization", pass.header?.reveal() ?? "", isSecret: true)
    }
}
