import PushModel
import Store

/// Reads a time of a filter: an age as on the command line (`2h`, `3d`), or ISO 8601, in UTC unless it names its offset. Pure.
///
/// What is neither is refused: PostgreSQL reads `now`, `today` and more, some of them in the zone of its session.
enum FilterTime {
    /// What may stand in the field.
    static let hint = "2h or 3d ago, or 2027-03-01T07:00Z"

    /// PostgreSQL reckons ages from the year -4712 on; nothing here is as old.
    private static let oldest = 100 * 366 * 86_400.0

    /// As it stands in a field and on the command line.
    static func text(_ time: MessageSearch.Time) -> String {
        switch time {
        case .ago(let age): age
        case .at(let instant): instant
        }
    }

    /// As an expression of SQL.
    static func sql(_ time: MessageSearch.Time) -> String {
        switch time {
        case .ago(let age): "now() - interval \(SQLText.literal(age))"
        case .at(let instant): "timestamptz \(SQLText.literal(instant))"
        }
    }

    static func read(_ text: String) throws(FilterProblem) -> MessageSearch.Time {
        if let age = PastAge(text) {
            guard age.seconds <= oldest else { throw FilterProblem("\(text) is longer ago than 100 years.") }
            return .ago(text)
        }
        guard let time = Expiry(text), time.seconds.isFinite, time.seconds >= firstYear else {
            throw FilterProblem("\(text.quoted) is no time: write \(hint).")
        }
        return .at(HumanFormat.exactTime(secondsSince1970: time.seconds))
    }

    /// 0001-01-01T00:00:00Z: PostgreSQL writes earlier years in another way.
    private static let firstYear = -62_135_596_800.0
}
