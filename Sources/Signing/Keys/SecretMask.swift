/// Takes secrets out of text that is about to be shown: keys, signatures, tokens and passwords become `•••`.
///
/// The last line of defence: our own secrets have the type `Secret`, which does not print. This is for the errors of
/// other programs, such as a proxy that quotes the request it refuses, with its token. In doubt it takes too much. It
/// knows `SharedAccessKey=`, `sig=`, `SharedAccessSignature …`, `password=` (also `sslpassword=`), `Bearer …`, `assertion=`,
/// `access_token=`, `private_key=`, the same as JSON members, `scheme://user:password@host`, a `PasswordHash`, and a private key
/// in PEM form.
///
/// One pass over the bytes instead of a regular expression: an answer can hold any text, and backtracking over 4,000
/// characters of `+` once took ten seconds.
package enum SecretMask {
    package static let mask = "•••"

    /// `text` without its secrets; the same text when it holds none.
    ///
    /// - Parameter hidesNames: whether the name before a value goes too: `•••` instead of `sig=•••`. Default: false.
    package static func masked(_ text: String, hidesNames: Bool = false) -> String {
        var text = text
        return text.withUTF8 { bytes -> String? in
            var shown: [UInt8] = []
            var clean = 0  // everything before this index is already in `shown`
            var index = 0
            while index < bytes.count {
                guard let secret = secret(in: bytes, at: index) else {
                    index += 1
                    continue
                }
                // The password of a URL begins at its `://` and has no name.
                let start = hidesNames && bytes[index] != UInt8(ascii: ":") ? index : secret.lowerBound
                shown.append(contentsOf: bytes[clean..<start])
                shown.append(contentsOf: mask.utf8)
                clean = secret.upperBound
                index = max(secret.upperBound, index + 1)
            }
            guard clean > 0 else { return nil }
            shown.append(contentsOf: bytes[clean...])
            return String(decoding: shown, as: UTF8.self)
        } ?? text
    }

    /// Whether a value of this name is a secret, whatever its content.
    package static func isSecret(name: String) -> Bool {
        let name = name.lowercased()
        return [
            "password", "secret", "authorization", "connectionstring", "sharedaccesskey", "sharedaccesssignature",
            "serviceaccount", "privatekey", "private_key", "access_token", "accesstoken", "assertion",
        ].contains { name.hasSuffix($0) }
    }

    /// The secret whose name, `://` or `-----BEGIN` begins at `index`; nil when none begins there.
    private static func secret(in text: UnsafeBufferPointer<UInt8>, at index: Int) -> Range<Int>? {
        switch text[index] | 0x20 {
        case UInt8(ascii: "s"):
            if let end = text.word("sharedaccesssignature", at: index) { return text.token(after: end) }
            if let end = text.word("sharedaccesskey", at: index) { return text.value(after: end, until: key) }
            if let end = text.word("sig", at: index) { return text.value(after: end, until: key) }
        case UInt8(ascii: "p"):
            if let end = text.word("password", at: index), let value = text.value(after: end, until: []) {
                return text.isOurPassword(at: index, before: end, value) ? nil : value
            }
            if let end = text.word("private_key", at: index) { return text.value(after: end, until: key) }
        case UInt8(ascii: "a"):
            if let end = text.word("access_token", at: index) { return text.value(after: end, until: key) }
            // Prose has the word before a colon: "Invalid assertion: expired".
            if let end = text.word("assertion", at: index) { return text.value(after: end, until: key, isProse: true) }
        case UInt8(ascii: "b"):
            if let end = text.word("bearer", at: index) { return text.bearerToken(after: end) }
        case UInt8(ascii: "-"):
            return text.privateKey(at: index)
        case UInt8(ascii: "$"):
            if let end = text.word("$scrypt$", at: index) { return text.plain(from: end, until: []) }
        case UInt8(ascii: ":"):
            if let end = text.word("://", at: index) { return text.userPassword(from: end) }
        default: break
        }
        return nil
    }

    /// What ends a key or a signature, besides white space and quotes.
    private static let key: [UInt8] = [UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: ",")]
}

/// What a sentence, or a challenge of a server, has behind `Bearer`.
private let wordsAfterBearer: [StaticString] = [
    "bearer", "token", "tokens", "auth", "authentication", "authorization", "credential", "credentials", "scheme",
    "realm",
    "error", "scope",
]

extension UnsafeBufferPointer<UInt8> {
    /// The index behind `lower` when it stands at `index`, in any case.
    fileprivate func word(_ lower: StaticString, at index: Int) -> Int? {
        let end = index + lower.utf8CodeUnitCount
        guard end <= count else { return nil }
        for offset in 0..<lower.utf8CodeUnitCount {
            let byte = self[index + offset]
            let isUpper = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
            guard (isUpper ? byte | 0x20 : byte) == lower.utf8Start[offset] else { return nil }
        }
        return end
    }

    /// Whether it is a complaint of ours, which has no password: `console.users.ana.password: is not set`, or of the command
    /// `fanfare console password: --json is given twice`.
    fileprivate func isOurPassword(at index: Int, before end: Int, _ value: Range<Int>) -> Bool {
        guard self[end] == UInt8(ascii: ":") else { return false }
        return self[value].elementsEqual("is".utf8) || self[..<index].suffix(17).elementsEqual("fanfare: console ".utf8)
    }

    /// What follows `name`, `=` (or `:`, as in JSON), and an opening quote. nil when there is no `=`: an ordinary word.
    ///
    /// - Parameter isProse: whether a `:` counts only behind a name in quotes. Default: false.
    fileprivate func value(after name: Int, until ends: [UInt8], isProse: Bool = false) -> Range<Int>? {
        var index = name
        if index < count, isQuote(self[index]) { index += 1 }  // "password": "…"
        let takesColon = !isProse || index > name
        index = skipBlanks(from: index)
        if let encoded = word("%3d", at: index) {
            index = encoded
        } else {
            guard index < count, self[index] == UInt8(ascii: "=") || takesColon && self[index] == UInt8(ascii: ":")
            else { return nil }
            index += 1
        }
        index = skipBlanks(from: index)
        return quoted(from: index) ?? unquoted(from: index, until: ends)
    }

    /// The token that follows `Bearer` and a blank, `=` or `:`. nil for an ordinary word.
    fileprivate func bearerToken(after name: Int) -> Range<Int>? {
        var index = name
        while index < count {
            if let blank = word("%20", at: index) {
                index = blank
            } else if isBlank(self[index]) || self[index] == UInt8(ascii: "+") || self[index] == UInt8(ascii: "=")
                || self[index] == UInt8(ascii: ":")
            {
                index += 1
            } else {
                break
            }
        }
        guard index > name, let token = privateKey(at: index) ?? plain(from: index, until: Array(",;&".utf8)) else {
            return nil
        }
        let isOrdinary = wordsAfterBearer.contains { word in
            self.word(word, at: index).map { $0 == count || !isTokenByte(self[$0]) } ?? false
        }
        return isOrdinary ? nil : token
    }

    /// A private key in PEM form, up to its end mark; without one up to the end of the text, which is then cut off.
    fileprivate func privateKey(at start: Int) -> Range<Int>? {
        guard var index = word("-----begin", at: start) else { return nil }
        // "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY"
        let labels = (index..<Swift.min(index + 20, count)).lazy.compactMap { word("private key-----", at: $0) }
        guard let label = labels.first else { return nil }
        index = label
        while index < count {
            if let mark = word("-----end", at: index) {
                let close = (mark..<Swift.min(mark + 40, count)).lazy.compactMap { word("-----", at: $0) }.first
                return start..<(close ?? count)
            }
            index += 1
        }
        return start..<count
    }

    /// The word that follows `name` and blanks (also `+` or `%20`), quotes, `=` or `:`. nil without such a word, or when
    /// it neither follows a `=` or `:` nor holds a `=` (also as `%3D`): an ordinary word.
    fileprivate func token(after name: Int) -> Range<Int>? {
        var index = name
        var isAssigned = false
        while index < count {
            if let blank = word("%20", at: index) {
                index = blank
            } else if self[index] == UInt8(ascii: "=") || self[index] == UInt8(ascii: ":") {
                isAssigned = true
                index += 1
            } else if isBlank(self[index]) || isQuote(self[index]) || self[index] == UInt8(ascii: "+") {
                index += 1
            } else {
                break
            }
        }
        guard let token = unquoted(from: index, until: []) else { return nil }
        let isToken = isAssigned || token.contains { self[$0] == UInt8(ascii: "=") || word("%3d", at: $0) != nil }
        return isToken ? token : nil
    }

    /// The password in `user:password@host`, which begins at `start`. An unescaped `/` or `@` does not end the
    /// password.
    fileprivate func userPassword(from start: Int) -> Range<Int>? {
        let end = plain(from: start, until: [])?.upperBound ?? start
        guard let colon = self[start..<end].firstIndex(of: UInt8(ascii: ":")),
            let at = self[colon..<end].lastIndex(of: UInt8(ascii: "@"))
        else { return nil }
        let beforeColon = self[start..<colon]
        if beforeColon.contains(UInt8(ascii: "/")) { return nil }  // http://host/path:with@signs
        let digits = self[(colon + 1)..<at].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        if digits.endIndex < at, self[digits.endIndex] == UInt8(ascii: "/") { return nil }  // http://host:80/a@b
        return (colon + 1)..<at
    }

    /// A quoted value without its quotes; a backslash protects the next byte, as in a libpq conninfo.
    private func quoted(from start: Int) -> Range<Int>? {
        guard start < count, isQuote(self[start]) else { return nil }
        var index = start + 1
        while index < count, self[index] != self[start] {
            index += self[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = Swift.min(index, count)
        return start + 1 < end ? (start + 1)..<end : nil
    }

    /// A value without quotes: a word, or a secret of several words.
    private func unquoted(from start: Int, until ends: [UInt8]) -> Range<Int>? {
        if let key = privateKey(at: start) { return key }
        if let name = word("bearer", at: start), let token = bearerToken(after: name) {
            return start..<token.upperBound
        }
        return plain(from: start, until: ends)
    }

    fileprivate func plain(from start: Int, until ends: [UInt8]) -> Range<Int>? {
        var index = start
        while index < count, !isBlank(self[index]), !isQuote(self[index]), !ends.contains(self[index]) { index += 1 }
        return index > start ? start..<index : nil
    }

    private func skipBlanks(from start: Int) -> Int {
        var index = start
        while index < count, isBlank(self[index]) { index += 1 }
        return index
    }

    private func isTokenByte(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }
    private func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
}
