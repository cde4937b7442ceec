import Concurrency
import PushModel

/// An instant as log lines show it: RFC 3339, UTC, milliseconds: `2026-11-21T16:37:00.250Z`.
///
/// Formatted by hand: a formatter of Foundation costs more than the rest of the line together.
public struct LogTime: Sendable, Equatable {
    /// Since 1970-01-01 UTC. Years 0 to 9999 are shown.
    public var milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The time of the wall clock.
    public static func now() -> LogTime {
        LogTime(milliseconds: SystemClock.wallMilliseconds())
    }

    func append(to line: inout [UInt8]) {
        let (day, inDay) = milliseconds.quotientAndRemainder(floor: 86_400_000)
        let date = CivilDate(daysSince1970: Int(day))
        let time = TimeOfDay(secondsSinceMidnight: Int(inDay / 1000))
        line.append(digits: date.year, width: 4)
        line.append(UInt8(ascii: "-"))
        line.append(digits: date.month, width: 2)
        line.append(UInt8(ascii: "-"))
        line.append(digits: date.day, width: 2)
        line.append(UInt8(ascii: "T"))
        line.append(digits: time.hour, width: 2)
        line.append(UInt8(ascii: ":"))
        line.append(digits: time.minute, width: 2)
        line.append(UInt8(ascii: ":"))
        line.append(digits: time.second, width: 2)
        line.append(UInt8(ascii: "."))
        line.append(digits: Int(inDay % 1000), width: 3)
        line.append(UInt8(ascii: "Z"))
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
    fileprivate mutating func append(digits value: Int, width: Int) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }
}
