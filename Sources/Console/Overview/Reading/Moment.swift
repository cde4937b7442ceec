import PushModel

/// Points in time as the views write them.
enum Moment {
    /// Seconds since 1970; nil: there is none, or it is no time that a calendar has.
    static func seconds(_ text: String?) -> Double? {
        guard let seconds = text.flatMap({ Expiry($0)?.seconds }), seconds.isFinite else { return nil }
        return seconds
    }
}
