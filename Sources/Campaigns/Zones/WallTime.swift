import PushModel

/// What clocks on the wall show: a day and a time, without saying where.
public struct WallTime: Sendable, Equatable, CustomStringConvertible {
    /// Since midnight of 1970-01-01 there.
    public let seconds: Int

    public init(seconds: Int) { self.seconds = seconds }

    /// `2026-03-29 02:30`, with seconds where there are some.
    public var description: String { "\(date) \(time)" }

    /// `2026-03-29`
    public var date: String { CivilDate(daysSince1970: seconds.dividedFloor(by: 86_400)).text }

    /// `02:30`, with seconds where there are some.
    public var time: String {
        let time = timeOfDay
        return time.second == 0 ? String(time.text.dropLast(3)) : time.text
    }

    /// `Sun`
    public var weekday: String {
        CivilDate.name(ofWeekday: CivilDate.weekday(seconds.dividedFloor(by: 86_400)))
    }

    private var timeOfDay: TimeOfDay {
        TimeOfDay(secondsSinceMidnight: seconds - seconds.dividedFloor(by: 86_400) * 86_400)
    }

    /// For people: `Mon 2026-03-30 09:00 +02:00`.
    ///
    /// - Parameter offset: seconds east of UTC.
    public func shown(offset: Int) -> String { "\(weekday) \(self) \(Self.offset(offset))" }

    /// As RFC 3339 writes it: `2026-03-29T03:00:00+02:00`. Seconds of an offset, which clocks before 1972 had, are left out.
    ///
    /// - Parameter offset: seconds east of UTC. Default: UTC, written `Z`.
    public func stamp(offset: Int? = nil) -> String {
        "\(date)T\(timeOfDay.text)" + (offset.map(Self.offset) ?? "Z")
    }

    /// `+02:00`, from seconds east of UTC.
    static func offset(_ seconds: Int) -> String {
        let minutes = abs(seconds) / 60
        return "\(seconds < 0 ? "-" : "+")\((minutes / 60).digits(2)):\((minutes % 60).digits(2))"
    }
}
