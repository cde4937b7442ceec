/// A stretch of time in which a zone keeps one offset from UTC. Two that follow each other may have the same offset.
public struct ZonePeriod: Sendable, Equatable {
    /// Instants that a zone knows: seconds since 1970, 18 billion years both ways, so that sums never overflow.
    static let instants = -(1 << 59)...(1 << 59)

    /// The first instant, in seconds since 1970.
    public let start: Int
    /// The instant after the last one.
    public let end: Int
    public let kind: LocalTimeType

    /// What the clocks on the wall show at the start: seconds since midnight of 1970-01-01 there.
    public var wallStart: Int { start + kind.offset }
    /// What they would show at the end if they were not changed then.
    public var wallEnd: Int { end + kind.offset }
}

/// The offset that a zone's clocks have for some time.
public struct LocalTimeType: Sendable, Equatable {
    /// Seconds east of UTC.
    public let offset: Int
    /// As the zone's makers call it; in Dublin it is winter time.
    public let isDaylight: Bool
    /// `CEST`; `+03` where a zone has no letters.
    public let abbreviation: String
}

/// What becomes of a time on the wall in a zone.
public enum WallMoment: Sendable, Equatable {
    /// The instant, in seconds since 1970.
    case once(Int)
    /// The clocks were set back: all instants at which they show it, in order.
    case repeated([Int])
    /// The clocks were set forward over it, at this instant.
    case skipped(at: Int)

    /// When something planned for that time happens: the first time it comes, or the first instant after the jump.
    public var instant: Int {
        switch self {
        case .once(let instant), .skipped(let instant): instant
        case .repeated(let instants): instants.min() ?? 0
        }
    }
}
