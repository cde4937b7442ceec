/// The rules of one time zone, as a file of the tz database holds them (TZif: RFC 9636 and, before it, RFC 8536).
///
/// Own arithmetic, because Foundation carries rules of the day it was built, and knows no zone at all in some ways of linking.
public struct TimeZoneFile: Sendable, Equatable {
    /// Ascending: from this instant on, this kind of time.
    var changes: [(at: Int, kind: UInt8)]
    var kinds: [LocalTimeType]
    /// After the last change, or always if the file has no change; nil: the last kind holds on.
    var rule: ZoneRule?

    public static func == (one: Self, other: Self) -> Bool {
        one.kinds == other.kinds && one.rule == other.rule
            && one.changes.elementsEqual(other.changes) { $0.at == $1.at && $0.kind == $1.kind }
    }

    /// The time around an instant without change of the clocks.
    ///
    /// - Parameter instant: seconds since 1970; beyond `ZonePeriod.instants` its ends count.
    public func period(at instant: Int) -> ZonePeriod {
        let all = ZonePeriod.instants
        let instant = min(max(instant, all.lowerBound), all.upperBound - 1)
        let next = firstChange(after: instant)
        guard next < changes.count else {
            let last = changes.last
            let period =
                rule?.period(at: instant)
                ?? ZonePeriod(
                    start: all.lowerBound, end: all.upperBound, kind: kinds[Int(last?.kind ?? 0)])
            return ZonePeriod(
                start: max(period.start, last?.at ?? all.lowerBound), end: period.end, kind: period.kind)
        }
        guard next > 0 else {
            // Before the first change: the first kind (RFC 9636, section 3.2).
            return ZonePeriod(start: all.lowerBound, end: changes[0].at, kind: kinds[0])
        }
        let change = changes[next - 1]
        return ZonePeriod(start: change.at, end: changes[next].at, kind: kinds[Int(change.kind)])
    }

    /// What the clocks show at an instant: seconds since midnight of 1970-01-01 there.
    public func wall(at instant: Int) -> Int { instant + period(at: instant).kind.offset }

    /// The instants at which the clocks show a time.
    ///
    /// - Parameter wall: seconds since midnight of 1970-01-01 there; beyond `ZonePeriod.instants` its ends count.
    public func moment(ofWall wall: Int) -> WallMoment {
        // No clock is further from UTC than that (RFC 9636, section 3.2).
        let reach = 26 * 3_600
        let all = ZonePeriod.instants
        let wall = min(max(wall, all.lowerBound + 2 * reach), all.upperBound - 2 * reach)
        var found: [Int] = []
        var jump = wall
        var period = self.period(at: wall - reach)
        var previous: ZonePeriod?
        while true {
            let instant = wall - period.kind.offset
            if period.start <= instant, instant < period.end { found.append(instant) }
            if let previous, previous.wallEnd <= wall, wall < period.wallStart { jump = period.start }
            guard period.end <= wall + reach else { break }
            previous = period
            period = self.period(at: period.end)
        }
        switch found.count {
        case 0: return .skipped(at: jump)
        case 1: return .once(found[0])
        default: return .repeated(found)
        }
    }

    private func firstChange(after instant: Int) -> Int {
        var low = 0
        var high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].at <= instant { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
