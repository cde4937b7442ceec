import Foundation
import Signing

extension RegistrationMark {
    /// What a client hands back to get the next page. The header carries it percent-encoded already, as the service's
    /// does; .NET copies it into the query as it is, others encode it again.
    var token: String {
        PercentEncoding.encode(Base64.encode(Array(device.utf8) + (template.map { [0xFF] + Array($0.utf8) } ?? [])))
    }

    /// - Parameter token: decoded once, as a query parameter is. A client that encoded the header's text again has it
    ///   encoded still, which base64 shows.
    init?(token: String) {
        guard let data = Data(base64Encoded: PercentEncoding.decode(token[...]) ?? token) else { return nil }
        // 0xFF is in no UTF-8.
        let parts = data.split(separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
        guard let device = String(validating: parts[0], as: UTF8.self), !device.isEmpty else { return nil }
        self.device = device
        guard parts.count > 1 else {
            template = nil
            return
        }
        guard let name = String(validating: parts[1], as: UTF8.self) else { return nil }
        template = name
    }
}
