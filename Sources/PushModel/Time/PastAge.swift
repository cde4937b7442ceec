/// How long ago something was, as people write it for a search: `90m`, `24h`, `7d`. One whole number of at most six digits, and one
/// unit: s, m, h, d or w. PostgreSQL reads the same text as an interval.
package struct PastAge: Sendable, Equatable {
    package let text: String
    package let seconds: Double

    /// nil: it is not such an age.
    package init?(_ text: String) {
        guard let parts = text.wholeMatch(of: /([0-9]{1,6})([smhdw])/), let number = Double(parts.1) else { return nil }
        let units: [Substring: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        self.text = text
        seconds = number * (units[parts.2] ?? 1)
    }
}
