/// The fields of a received token.
struct ParsedSAS {
    /// `sr` decoded: the URL that the token is valid for.
    let resource: String
    let keyName: String
    let expiry: Int64
    private let signature: String
    private let signed: [UInt8]

    enum Fault: Error, Equatable {
        case missing
        case malformed(String)
    }

    /// Accepts the fields in any order and ignores unknown ones. The scheme word may be in any case.
    init(_ header: String) throws(Fault) {
        // Splits bytes instead of characters: all separators are ASCII, and the emulator parses a token per request.
        let space = UInt8(ascii: " ")
        let words = header.utf8.split(separator: space, maxSplits: 1)
        guard let scheme = words.first else { throw .missing }
        guard Substring(scheme).lowercased() == "sharedaccesssignature", words.count == 2 else {
            throw .malformed("not a SharedAccessSignature")
        }
        var fields: [Substring: Substring] = [:]
        for part in words[1].drop(while: { $0 == space }).split(separator: UInt8(ascii: "&")) {
            // Only the first `=` separates: a raw base64 signature may end with more of them.
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { throw .malformed("a field without =") }
            let value = Substring(part[part.index(after: equals)...])
            guard fields.updateValue(value, forKey: Substring(part[..<equals])) == nil else {
                throw .malformed("a field given twice")
            }
        }
        func field(_ name: Substring) throws(Fault) -> Substring {
            guard let value = fields[name], !value.isEmpty else { throw .malformed("no \(name)") }
            return value
        }
        func decoded(_ name: Substring) throws(Fault) -> String {
            guard let text = PercentEncoding.decode(try field(name)) else {
                throw .malformed("\(name) is not percent-encoded UTF-8")
            }
            return text
        }
        resource = try decoded("sr")
        signature = try decoded("sig")
        keyName = try decoded("skn")
        let literalExpiry = try field("se")
        guard literalExpiry.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let expiry = Int64(literalExpiry) else {
            throw .malformed("se is not a number of seconds")
        }
        self.expiry = expiry
        signed = SAS.toSign(scope: try field("sr"), expiry: literalExpiry)
    }

    /// Whether one of the policy's two keys made this signature.
    func isSigned(by policy: SASPolicy) -> Bool {
        [policy.key, policy.secondaryKey].compactMap(\.self).contains { key in
            let expected = Base64.encode(HMAC.sha256(key: Array(key.reveal().utf8), signed))
            return ConstantTime.areEqual(expected, signature)
        }
    }
}
