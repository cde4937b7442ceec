import Foundation
import ProgramSupport
import TestSupport
import Testing

@testable import Campaigns

/// cronsim does what Debian's cron does, daylight saving time included, and has to find the same times.
@Suite struct CronOracleTests {
    private static let lines = TestDepth.of(1_500, full: 20_000)
    private static let times = 50

    /// Sixty zones: those whose clocks are changed in unusual ways, and some of every continent.
    static let zones = [
        "Africa/Cairo", "Africa/Casablanca", "Africa/El_Aaiun", "Africa/Johannesburg", "Africa/Juba", "Africa/Lagos",
        "Africa/Windhoek", "America/Adak", "America/Anchorage", "America/Argentina/Buenos_Aires", "America/Asuncion",
        "America/Bogota", "America/Caracas", "America/Chicago", "America/Denver", "America/Halifax", "America/Havana",
        "America/Los_Angeles", "America/Mexico_City", "America/New_York", "America/Nuuk", "America/Phoenix",
        "America/Santiago", "America/Sao_Paulo", "America/Scoresbysund", "America/St_Johns", "Antarctica/Casey",
        "Antarctica/Troll", "Asia/Almaty", "Asia/Amman", "Asia/Beirut", "Asia/Gaza", "Asia/Jerusalem",
        "Asia/Kathmandu", "Asia/Kolkata", "Asia/Pyongyang", "Asia/Shanghai", "Asia/Tehran", "Asia/Tokyo",
        "Atlantic/Azores", "Australia/Adelaide", "Australia/Lord_Howe", "Australia/Sydney", "Europe/Athens",
        "Europe/Berlin", "Europe/Dublin", "Europe/Istanbul", "Europe/Lisbon", "Europe/London", "Europe/Moscow",
        "Europe/Volgograd", "Pacific/Apia", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Easter", "Pacific/Fakaofo",
        "Pacific/Kiritimati", "Pacific/Norfolk", "Pacific/Tongatapu", "UTC",
    ]

    /// Where we differ from cronsim 2.8 on purpose. Beside these, the script leaves out what we refuse or read as Vixie cron
    /// does and cronsim does not: a step on a single number (`5/15`), a range of one number with a step (`5-5/15`, which
    /// cronsim takes for `5/15`), seconds, `L`, `W` and `#`.
    private enum Difference: String {
        /// We search eight years ahead, cronsim fifty.
        case laterThanEightYears
        /// cronsim looks for the hour of a line with `*` in steps of 60 minutes, from minute 0 by the wall. Where clocks are
        /// changed by 30 minutes (Lord Howe), its steps go on from minute 30, and it misses or moves times of that day.
        case halfAnHour
        /// cronsim begins a day at 00:00, also where the clocks skip that (Havana): its first steps of that day, of a line
        /// with `*`, start from an hour that does not exist.
        case noMidnight
    }

    /// Why the times differ; nil: for no good reason.
    private static func difference(
        _ line: CronLine, after start: Int, in zone: TimeZoneFile, _ ours: [Int], _ theirs: [Int]
    ) -> Difference? {
        if theirs.starts(with: ours), theirs.count > ours.count {
            return theirs[ours.count] - (ours.last ?? start) > CronLine.horizon ? .laterThanEightYears : nil
        }
        guard line.followsWall, let end = [ours.last, theirs.last].compactMap({ $0 }).min() else { return nil }
        let (mine, other) = (Set(ours.filter { $0 <= end }), Set(theirs.filter { $0 <= end }))
        // A time that we alone have is one that the line names; a time that cronsim alone has is not.
        guard mine.subtracting(other).allSatisfy({ names(line, $0, in: zone) }),
            !other.subtracting(mine).contains(where: { names(line, $0, in: zone) })
        else { return nil }
        var reasons: Set<Difference?> = []
        for instant in mine.symmetricDifference(other) {
            let period = zone.period(at: instant)
            let before = zone.period(at: period.start - 1)
            let jump = period.kind.offset - before.kind.offset
            guard instant - period.start < 86_400 else { return nil }
            let isMidnight = jump > 0 && before.wallEnd.isMultiple(of: 86_400)
            reasons.insert(!jump.isMultiple(of: 3_600) ? .halfAnHour : isMidnight ? .noMidnight : nil)
        }
        return reasons.count == 1 ? reasons.first ?? nil : nil
    }

    /// Whether the clocks show a time that the line names.
    private static func names(_ line: CronLine, _ instant: Int, in zone: TimeZoneFile) -> Bool {
        let wall = zone.wall(at: instant)
        return wall.isMultiple(of: 60) && line.firstMatch(from: wall, before: wall + 60) == wall
    }

    @Test(.enabled(if: ZoneOracleTests.python.isExpected, Tool.advice))
    func cronsimFindsTheSameTimes() async throws {
        let zones = TimeZones()
        let ended = try await ZoneOracleTests.python(
            ["Tests/Oracles/cron.py", "2026", "\(Self.lines)", "\(Self.times)"],
            environment: ["PYTHONTZPATH": zones.folder], input: Self.zones.joined(separator: "\n"))
        try #require(ended.status == 0, "\(ended.errors)")
        var wrong: [String] = []
        var compared = 0
        var refused = 0
        var excepted: [Difference: Int] = [:]
        for row in ended.output.split(separator: "\n") {
            let cells = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let zone = try zones.named(cells[0])
            let start = try #require(Int(cells[1]))
            let theirs = cells[3].split(separator: " ").compactMap { Int($0) }
            // Why it is refused is tested elsewhere: here only that both refuse the same lines.
            let parsed = try? CronLine(parsing: cells[2])
            guard (parsed == nil) == cells[3].hasPrefix("refused") else {
                wrong.append("\(row.prefix(120)): \(parsed == nil ? "we refuse it" : "we read it")")
                continue
            }
            guard let line = parsed else {
                refused += 1
                continue
            }
            let ours = line.occurrences(Self.times, after: start, in: zone).map(\.instant)
            compared += ours.count
            guard ours != theirs else { continue }
            guard let reason = Self.difference(line, after: start, in: zone, ours, theirs) else {
                wrong.append("\(row.prefix(120)): \(ours.prefix(50))")
                continue
            }
            excepted[reason, default: 0] += 1
            if TestDepth.isFull {
                print("excepted, \(reason.rawValue): \(cells[2]) in \(cells[0]) after \(start)")
            }
        }
        #expect(compared > Self.lines * Self.times / 2)
        // A few of many: an exception is no excuse.
        #expect(excepted.values.reduce(0, +) * 500 <= Self.lines, "\(excepted)")
        if TestDepth.isFull {
            let listed = excepted.map { "\($0.value) \($0.key.rawValue)" }.sorted().joined(separator: ", ")
            print("cronsim: \(Self.lines) lines, \(refused) refused by both, \(compared) times; excepted: \(listed)")
        }
        #expect(wrong.isEmpty, "\(wrong.count) differ: \(wrong.prefix(30).joined(separator: "\n"))")
    }
}
