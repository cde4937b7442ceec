import Synchronization

/// What is a locale (RFC 5646 section 2.1, well-formed): `locale.json` beside this file, compiled in. `bin/generate` writes it
/// into `migrations/functions/rules/locale_rule.sql`, so SQL and Swift take the same.
///
/// The pattern is of texts in lower case and uses only what PostgreSQL reads as Swift does. It names the irregular locales
/// from before 2006 (`i-klingon`) one by one, as the RFC does.
enum LocaleRule {
    /// The most characters that a locale may have. The RFC sets no limit; those of phones with every preference set have
    /// about 80, and a tag of Notification Hubs 120.
    static let longest = document.longest

    /// A regular expression is not `Sendable`.
    private static let pattern = Mutex(document.pattern)

    static func matches(_ text: String) -> Bool {
        // Without this test "K" (the sign of Kelvin) would be a small k.
        guard text.utf8.count <= longest, text.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        let lowerCase = text.lowercased()
        return pattern.withLock { lowerCase.wholeMatch(of: $0) != nil }
    }

    private static var document: (longest: Int, pattern: Regex<AnyRegexOutput>) {
        do {
            let rule = try JSONNode(PackageResources.locale_json).value
            guard case .string(let pattern) = rule["pattern"], case .number(let text) = rule["longest"],
                let longest = Int(text)
            else { fatalError("the rule of locales has no pattern or no longest") }
            return (longest, try Regex(pattern).matchingSemantics(.unicodeScalar))
        } catch {
            // It is compiled in, and every test of locales reads it: no build with a fault in it passes, and no input of
            // a user gets here.
            fatalError("the rule of locales cannot be read: \(error)")
        }
    }
}
