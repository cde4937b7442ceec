import PushModel

/// A point in time, as text and for the element `time`.
package struct TimeView: Sendable {
    /// RFC 3339, UTC; the page's script shows it in local time.
    package let timeStamp: String
    /// `14:02:11`, UTC.
    package let timeClock: String

    package init(_ secondsSince1970: Double) {
        timeStamp = HumanFormat.time(secondsSince1970: secondsSince1970)
        timeClock = String(timeStamp.split(separator: "T").last?.prefix(8) ?? "")
    }
}
