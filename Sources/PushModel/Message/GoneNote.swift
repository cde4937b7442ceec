/// The note of a result `target_gone`: what the service said, and since when the target is gone, as `push.gone_since` reads it
/// again (`migrations/functions/rules/words.sql`).
public enum GoneNote {
    /// - Parameters:
    ///   - since: seconds since 1970, as the service says; nil, or no time before the year 10000: it does not say.
    ///   - words: what it said.
    /// - Returns: `gone since 2026-11-28T12:00:00Z: Unregistered`, or the words alone.
    public static func text(since: Double?, because words: String) -> String {
        guard let since, (0..<253_402_300_800).contains(since) else { return words }
        let seconds = Int(since)
        let time = TimeOfDay(secondsSinceMidnight: seconds % 86_400)
        return "gone since \(CivilDate(daysSince1970: seconds / 86_400).text)T\(time.text)Z: \(words)"
    }
}
