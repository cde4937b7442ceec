/// A point in time as PostgreSQL keeps a `timestamptz`.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Since 2000-01-01 00:00:00 UTC.
    public var microseconds: Int64

    /// Earlier and later than every other time, as in PostgreSQL.
    public static let negativeInfinity = Timestamp(microseconds: .min)
    public static let infinity = Timestamp(microseconds: .max)

    /// 2000-01-01 in seconds since 1970-01-01.
    private static let epoch: Int64 = 946_684_800

    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Rounds to the nearest microsecond. A time beyond the 292,000 years of the type becomes an infinity, and NaN
    /// becomes `infinity`.
    public init(secondsSince1970 seconds: Double) {
        let since2000 = ((seconds - Double(Self.epoch)) * 1e6).rounded()
        if let exact = Int64(exactly: since2000) {
            self.init(microseconds: exact)
        } else {
            self = since2000 < 0 ? .negativeInfinity : .infinity
        }
    }

    /// Seconds since 1970, exact to a microsecond for a few hundred years around now; ±infinity for the two infinities.
    public var secondsSince1970: Double {
        switch self {
        case .negativeInfinity: -.infinity
        case .infinity: .infinity
        default: Double(microseconds) / 1e6 + Double(Self.epoch)
        }
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
