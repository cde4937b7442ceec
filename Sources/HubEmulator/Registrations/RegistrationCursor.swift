import Foundation
import Signing

/// A place in the list of registrations: the next page begins after it.
struct RegistrationCursor: Sendable, Comparable {
    let device: String
    /// The key of the part; nil: the device itself.
    let template: String?

    static func < (a: RegistrationCursor, b: RegistrationCursor) -> Bool {
        if a.device != b.device { return a.device < b.device }
        guard let mine = a.template, let other = b.template else { return a.template == nil && b.template != nil }
        return mine < other
    }
}

extension RegistrationCursor {
    /// The continuation token. The header has it percent-encoded, as at the service; .NET copies it into the query as
    /// it is, other clients encode it again.
    var token: String {
        PercentEncoding.encode(Base64.encode(Array(device.utf8) + (template.map { [0xFF] + Array($0.utf8) } ?? [])))
    }

    /// - Parameter token: decoded once, as a query parameter. If the client encoded the header's text again, it is
    ///   still encoded, which is not valid base64.
    init?(token: String) {
        guard let data = Data(base64Encoded: PercentEncoding.decode(token[...]) ?? token) else { return nil }
        // 0xFF never occurs in UTF-8.
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
