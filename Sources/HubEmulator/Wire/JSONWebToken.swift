import PushModel
import Signing

/// A JWT as it is written: header, claims and signature in base64url (RFC 7519, RFC 7515). Nothing is checked.
struct JSONWebToken {
    let header: JSONValue
    let claims: JSONValue
    /// What the signature is of.
    let signed: [UInt8]
    let signature: [UInt8]

    /// nil: it is no such text, or header or claims are no JSON object.
    init?(_ text: String) {
        let parts = text.split(scalar: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Self.decoded(parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let bytes = decoded(part), let value = (try? JSONNode(bytes))?.value, case .object = value else {
            return nil
        }
        return value
    }

    /// Base64url without padding (RFC 7515, appendix C).
    private static func decoded(_ text: Substring) -> [UInt8]? {
        guard !text.utf8.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
        let plain = text.replacing(scalars: "-", with: "+").replacing(scalars: "_", with: "/")
        return Base64.decode(plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4))
    }
}

extension JSONValue {
    /// nil: no string.
    var text: String? { if case .string(let text) = self { text } else { nil } }
}
