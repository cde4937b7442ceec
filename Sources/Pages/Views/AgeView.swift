import PushModel

/// How long ago something was, or how long until it is: the template `age`. The page's script reckons it on, so the text alone does
/// not make a page a new one.
package struct AgeView: Sendable {
    /// RFC 3339, UTC: since when, or until when.
    package let ageStamp: String
    /// `5 min`, in the words of `HumanFormat.duration`; `0 s` where it is on the other side of now.
    package let ageText: String
    package let ageIsUntil: Bool

    private init(_ moment: Double, seconds: Double, isUntil: Bool) {
        ageStamp = HumanFormat.time(secondsSince1970: moment)
        ageText = HumanFormat.duration(seconds)
        ageIsUntil = isUntil
    }

    /// - Parameters: seconds since 1970.
    package init(since moment: Double, at now: Double) { self.init(moment, seconds: now - moment, isUntil: false) }

    /// - Parameters: seconds since 1970.
    package init(until moment: Double, at now: Double) { self.init(moment, seconds: moment - now, isUntil: true) }
}
