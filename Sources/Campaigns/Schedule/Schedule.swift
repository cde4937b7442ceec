import PushModel
import Store

/// When a campaign starts itself, read and with its time zone. Pure: times are seconds since 1970.
package struct Schedule: Sendable, Equatable {
    enum Times: Sendable, Equatable {
        case cron(CronLine)
        case once(Int)
    }

    let times: Times
    let zone: TimeZoneFile
    let zoneName: String
    /// Whether its times are meant in each recipient's zone: `zone` is the one where they come first.
    let isLocal: Bool
    /// Nothing before it, and nothing behind it; nil: no bound.
    let from, until: Int?
    /// Seconds by which a run may begin later, so that campaigns of one hour do not all begin at once.
    let jitter: Double
    /// nil: the default, which `overlap(at:)` knows.
    let overlap: Overlap?
    let misfire: Misfire
    /// Seconds after its time within which a missed run still starts. Default: an hour.
    let catchUp: Double

    /// - Throws: `ScheduleError`: `push_internal.wrong_schedule` refuses wrong texts when the campaign is made, so this is a zone
    ///   that this machine does not know, or knows no more.
    package init(_ text: Schedules.Text, in zones: TimeZones) throws(ScheduleError) {
        zoneName = text.zone ?? "UTC"
        isLocal = text.isLocal
        zone = try Self.zone(zoneName, in: zones)
        if let line = text.cron {
            times = .cron(try Self.line(line))
        } else {
            times = .once(try Self.moment(text.at ?? "", text.zone, in: zones))
        }
        from = try text.from.map { from throws(ScheduleError) in try Self.moment(from, text.zone, in: zones) }
        until = try text.until.map { until throws(ScheduleError) in try Self.moment(until, text.zone, in: zones) }
        jitter = text.jitter ?? 0
        overlap = text.overlap.flatMap(Overlap.init)
        misfire = text.misfire.flatMap(Misfire.init) ?? .once
        catchUp = text.catchUp ?? 3_600
    }

    /// The first time behind an instant; nil: the schedule is over, or its next time is more than eight years away.
    func next(after instant: Int) -> Int? {
        let start = max(instant, (from ?? .min + 1) - 1)
        let found: Int? =
            switch times {
            case .cron(let line): line.next(after: start, in: zone)
            case .once(let at): at > start ? at : nil
            }
        guard let found, found <= until ?? .max else { return nil }
        return found
    }

    /// A time and those behind it.
    func upcoming(_ count: Int, from first: Int?) -> [Int] {
        var found: [Int] = []
        var time = first
        while let at = time, found.count < count {
            found.append(at)
            time = next(after: at)
        }
        return found
    }

    /// When the run of a time begins: up to `jitter` later, always the same for a campaign and a time, whichever worker
    /// works it out.
    func start(of time: Int, campaign: Int32) -> Double {
        guard jitter > 0 else { return Double(time) }
        var random = SeededRandom(seed: UInt64(bitPattern: Int64(time)) ^ UInt64(UInt32(bitPattern: campaign)) << 32)
        return Double(time) + jitter * Double.random(in: 0..<1, using: &random)
    }

    private static func line(_ text: String) throws(ScheduleError) -> CronLine {
        do throws(CronLineError) {
            return try CronLine(parsing: text)
        } catch {
            throw ScheduleError(why: "\(text) is not a cron line: \(error)")
        }
    }

    private static func zone(_ name: String, in zones: TimeZones) throws(ScheduleError) -> TimeZoneFile {
        do throws(TimeZoneError) {
            return try zones.named(name)
        } catch {
            throw ScheduleError(why: "\(error)")
        }
    }

    /// The next times behind an instant, at most `count`.
    package func times(_ count: Int, after instant: Int) -> [Int] { upcoming(count, from: next(after: instant)) }

    /// Such as `at 09:00 on Monday to Friday, Europe/Berlin (0 9 * * 1-5)`.
    package var words: String {
        let place = isLocal ? "in everybody's own zone, from \(zoneName) on" : zoneName
        return switch times {
        case .cron(let line): "\(line.words), \(place) (\(line))"
        case .once(let at): "once, at \(local(at)), \(place)"
        }
    }

    /// What people overlook in a cron line: sentences about both day fields, and about changes of the clocks.
    package func remarks(after instant: Int) -> [String] {
        guard case .cron(let line) = times else { return [] }
        return SchedulePreview(line, zone: zoneName, rules: zone, after: instant, count: 0).remarks
    }

    /// A time on the clocks of the zone, such as `Mon 2027-03-01 09:00 +01:00`.
    package func local(_ time: Int) -> String {
        let offset = zone.period(at: time).kind.offset
        return WallTime(seconds: time + offset).shown(offset: offset)
    }

    /// A day without a time is its midnight.
    package static func withTime(_ text: String) -> String { text.utf8.count == 10 ? "\(text)T00:00" : text }

    private static func moment(_ text: String, _ zone: String?, in zones: TimeZones) throws(ScheduleError) -> Int {
        do throws(OneOffTimeError) {
            return try OneOffTime(parsing: withTime(text), zone: zone, in: zones).instant
        } catch {
            throw ScheduleError(why: "\(text) is not a time here: \(error)")
        }
    }
}

/// Why a worker cannot work out when a campaign starts.
package struct ScheduleError: Error, Sendable, Equatable, CustomStringConvertible {
    package let why: String
    package var description: String { why }
}
