import Foundation
import PushModel

/// A time at which something is sent, as people and programs give it: ISO 8601 with a zone, `+10m` from now, or seconds
/// since 1970.
package struct InstantArgument: Equatable {
    /// What PostgreSQL reads as a timestamptz.
    package let text: String

    /// - Parameter now: seconds since 1970: what `+10m` counts from, by this machine's clock.
    /// - Throws: `Failure` for a form that is nearly one of ours, and for a time that names no zone: the zone of the
    ///   session would decide, silently. All others are left to PostgreSQL, which knows many.
    package init(_ given: String, for option: String, now: Double = Date().timeIntervalSince1970) throws(Failure) {
        if given.hasPrefix("+") {
            let length = given.dropFirst().filter { $0 != " " }
            guard let seconds = DurationArgument(argument: length)?.seconds, seconds < 1e10 else {
                throw Failure(
                    option, because: "\(given.onOneLine) is not a time span",
                    hint: "It looks like +30s, +10m, +2h, +1d or +1h30m.", status: .badInput)
            }
            text = HumanFormat.exactTime(secondsSince1970: now + seconds)
        } else if let seconds = try Self.epoch(given, option) {
            text = HumanFormat.exactTime(secondsSince1970: seconds)
        } else {
            let isDay = given.firstMatch(of: /^ *(today|tomorrow|yesterday)\b/.ignoresCase()) != nil
            guard Self.namesZone(given) || !isDay && !given.contains(where: \.isNumber) else {
                throw Failure(
                    option, because: "\(given.onOneLine) names no time zone",
                    hint: #"Such as 2027-03-01T07:00Z, 2027-03-01T07:00+01:00 or "2027-03-01 07:00 Europe/Paris"."#,
                    status: .badInput)
            }
            text = given
        }
    }

    /// Whether letters or a sign follow the time of day.
    private static func namesZone(_ given: String) -> Bool {
        guard let time = given.firstMatch(of: /[0-9]{1,2}:[0-9]{2}[0-9:.]*|[Tt][0-9]{4,6}/) else { return false }
        let rest = given[time.range.upperBound...].lowercased().replacing(/^ *(am|pm)\b/, with: "")
        return rest.contains { $0.isLetter || $0 == "+" || $0 == "-" }
    }

    /// Nine to eleven digits, maybe with a fraction. Fewer are a date for PostgreSQL (20261121), more are milliseconds.
    private static func epoch(_ given: String, _ option: String) throws(Failure) -> Double? {
        let parts = given.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } })
        else {
            return nil
        }
        switch parts[0].count {
        case 9...11: return Double(given)
        case 12...13:
            throw Failure(
                option, because: "\(given) is too large for seconds since 1970",
                hint: "Milliseconds? Leave out the last three digits.", status: .badInput)
        default: return nil
        }
    }
}
