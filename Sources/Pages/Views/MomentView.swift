import PushModel

/// A point in time as pages of a console show it: the template `moment`. All times of a page are in one zone, UTC or that of the
/// person who looks; the page's script changes them, and names the other in the title.
package struct MomentView: Sendable {
    /// RFC 3339, UTC.
    package let momentStamp: String
    /// `2026-01-02 03:04:05 UTC`.
    package let momentText: String
    /// `03:04`, UTC: where the page says which day and zone.
    package let momentClock: String

    /// - Parameter secondsSince1970: rounded down to a second.
    package init(_ secondsSince1970: Double) {
        momentStamp = HumanFormat.time(secondsSince1970: secondsSince1970)
        let parts = momentStamp.dropLast().split(separator: "T")
        momentText = parts.joined(separator: " ") + " UTC"
        momentClock = String(parts.last?.prefix(5) ?? "")
    }
}
