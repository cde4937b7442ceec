import Glibc

/// An instant as log lines show it: RFC 3339, UTC, milliseconds: `2026-11-21T16:37:00.250Z`.
///
/// Formatted by hand: a formatter of Foundation costs more than the rest of the line together.
public struct LogTime: Sendable, Equatable {
    /// Since 1970-01-01 UTC. Years 0 to 9999 are shown.
    public var milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The wall clock's now.
    public static func now() -> LogTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return LogTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    func append(to line: inout [UInt8]) {
        let (day, inDay) = milliseconds.quotientAndRemainder(floor: 86_400_000)
        let (year, month, dayOfMonth) = Self.civil(day: day)
        line.append(digits: year, width: 4)
        line.append(UInt8(ascii: "-"))
        line.append(digits: month, width: 2)
        line.append(UInt8(ascii: "-"))
        line.append(digits: dayOfMonth, width: 2)
        line.append(UInt8(ascii: "T"))
        line.append(digits: inDay / 3_600_000, width: 2)
        line.append(UInt8(ascii: ":"))
        line.append(digits: inDay / 60_000 % 60, width: 2)
        line.append(UInt8(ascii: ":"))
        line.append(digits: inDay / 1000 % 60, width: 2)
        line.append(UInt8(ascii: "."))
        line.append(digits: inDay % 1000, width: 3)
        line.append(UInt8(ascii: "Z"))
    }

    /// Days since 1970 to a Gregorian date, by eras of 400 years that begin on the first of March, so that the leap
    /// day is the last day of a year.
    private static func civil(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (day + 719_468).quotientAndRemainder(floor: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153  // 0 is March
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Int64 {
    /// Division that rounds towards minus infinity: the remainder is never negative.
    fileprivate func quotientAndRemainder(floor divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension [UInt8] {
    fileprivate mutating func append(digits value: Int64, width: Int) {
        var divisor: Int64 = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }
}
