extension PasswordHash {
    /// How much work and memory one guess takes: the parameters of scrypt (RFC 7914, section 2). Pure.
    public struct Cost: Sendable, Equatable, CustomStringConvertible {
        /// The logarithm of N to base 2.
        let ln: Int
        let r: Int
        let p: Int

        /// 32 MiB, and about 0.3 s of one core: of the choices that OWASP counts as equally strong the one that needs least
        /// memory of a server for its work (Password Storage Cheat Sheet, "scrypt").
        public static let usual = Cost(ln: 15, r: 8, p: 3)

        /// For tests alone: a millisecond or less.
        package static let cheap = Cost(ln: 4, r: 8, p: 1)

        package init(ln: Int, r: Int, p: Int) {
            self.ln = ln
            self.r = r
            self.p = p
        }

        /// Reads `ln=15,r=8,p=3`.
        ///
        /// - Returns: nil: it has another form, or is out of bounds.
        init?(_ text: Substring) {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count == 3, let ln = Self.number(parts[0], after: "ln="),
                let r = Self.number(parts[1], after: "r="), let p = Self.number(parts[2], after: "p=")
            else { return nil }
            self.init(ln: ln, r: r, p: p)
            guard isWithinBounds else { return nil }
        }

        /// At most 128 MiB and about 2 s of one core for a guess, whatever a text says. `ln < 16 r` is scrypt's own bound.
        var isWithinBounds: Bool {
            (1...20).contains(ln) && (1...32).contains(r) && (1...32).contains(p) && ln < 16 * r
                && (r << ln) <= 1 << 20 && (r * p << ln) <= 1 << 22
        }

        /// Bytes that a guess needs.
        var memory: Int { 128 * r * ((1 << ln) + p + 2) }

        public var description: String { "ln=\(ln),r=\(r),p=\(p)" }

        /// A whole number of one or two digits, without a sign or a 0 before it.
        private static func number(_ part: Substring, after name: String) -> Int? {
            guard part.hasPrefix(name) else { return nil }
            let digits = part.dropFirst(name.count)
            let isWritten = digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return isWritten && (1...2).contains(digits.utf8.count) && digits.first != "0" ? Int(digits) : nil
        }
    }
}
