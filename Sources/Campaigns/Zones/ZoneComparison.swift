import PushModel

/// Compares the time zones of this machine with those of another tz database, PostgreSQL's. Pure.
///
/// Schedules follow ours; local runs and windows follow PostgreSQL's. Where they differ, a campaign comes at another hour than
/// it says.
public struct ZoneComparison: Sendable, Equatable {
    /// The offsets of a zone's clocks here.
    public struct Zone: Sendable, Equatable {
        public let name: String
        /// Seconds since 1970, ascending: what the other side is asked for.
        public let instants: [Int]
        /// Seconds east of UTC at each of them.
        public let offsets: [Int]

        /// Noon of the 15th of each month, and each change of the clocks with the seconds before and after it.
        public init(_ name: String, _ rules: TimeZoneFile, in span: Range<Int>) {
            var instants = Set(Self.noons(in: span))
            var at = span.lowerBound
            while case let change = rules.period(at: at).end, change < span.upperBound {
                instants.formUnion([change - 1, change, change + 1])
                at = change
            }
            self.name = name
            self.instants = instants.sorted()
            offsets = self.instants.map { rules.period(at: $0).kind.offset }
        }

        private static func noons(in span: Range<Int>) -> [Int] {
            let day = CivilDate(daysSince1970: span.lowerBound.dividedFloor(by: 86_400))
            var noons: [Int] = []
            for month in (day.month - 1)... {
                let date = CivilDate(year: day.year + month / 12, month: month % 12 + 1, day: 15)
                let noon = date.daysSince1970 * 86_400 + 43_200
                guard noon < span.upperBound else { break }
                if noon >= span.lowerBound { noons.append(noon) }
            }
            return noons
        }
    }

    /// One zone about which the two differ.
    public enum Difference: Sendable, Equatable, CustomStringConvertible {
        /// The first instant of those compared, in seconds since 1970, with seconds east of UTC.
        case offset(String, at: Int, here: Int, there: Int)
        /// A zone in use cannot be read here.
        case unknownHere(String, TimeZoneError)
        /// A zone in use that PostgreSQL does not have.
        case unknownThere(String)

        public var description: String {
            switch self {
            case .offset(let zone, let at, let here, let there):
                "\(zone) at \(WallTime(seconds: at).stamp()): \(WallTime.offset(here)) here, "
                    + "\(WallTime.offset(there)) in PostgreSQL"
            case .unknownHere(_, let error): "\(error) here"
            case .unknownThere(let zone): "there is no time zone \(zone) in PostgreSQL"
            }
        }
    }

    /// Seconds that are compared, from now on: two years.
    public static let reach = 731 * 86_400

    public private(set) var zones: [Zone] = []
    private let used: Set<String>
    private var unknown: [Difference] = []

    /// Reads the zones of this machine, some hundred files.
    ///
    /// - Parameters:
    ///   - used: zones that campaigns name. What one side lacks counts for these only, because each tz database leaves out
    ///     some old names.
    ///   - now: seconds since 1970.
    public init(of zones: TimeZones, used: Set<String>, now: Int) {
        self.used = used
        for name in used.sorted() + zones.names().filter({ !used.contains($0) }) {
            do throws(TimeZoneError) {
                self.zones.append(Zone(name, try zones.named(name), in: now..<now + Self.reach))
            } catch {
                switch error {
                // CET may stand beside recipients, and only PostgreSQL reads it there.
                case .invalid, .abbreviation, .offset: continue
                case .unknown, .noData, .unreadable, .broken: unknown.append(.unknownHere(name, error))
                }
            }
        }
    }

    init(_ zones: [Zone], used: Set<String>) { (self.zones, self.used) = (zones, used) }

    /// - Parameter there: what PostgreSQL says for the instants of each zone; zones that it does not have are missing.
    /// - Returns: at most one for each zone; those in use first.
    public func differences(from there: [String: [Int]]) -> [Difference] {
        unknown
            + zones.compactMap { zone in
                guard let offsets = there[zone.name] else {
                    return used.contains(zone.name) ? .unknownThere(zone.name) : nil
                }
                let first = zip(zone.offsets, offsets).enumerated().first { $0.element.0 != $0.element.1 }
                return first.map {
                    .offset(zone.name, at: zone.instants[$0.offset], here: $0.element.0, there: $0.element.1)
                }
            }
    }
}
