import PushModel
import Store
import Testing

@testable import Campaigns

/// Which runs start when the time has come, or came while no worker lived. No clock runs here.
@Suite struct MisfireTests {
    /// Sunday, 1 March 2026, 00:00 UTC.
    private static let start = 1_772_323_200

    private static func schedule(
        _ cron: String, misfire: Misfire = .once, catchUp: Double = 3_600, jitter: Double = 0, from: String? = nil,
        until: String? = nil
    ) throws -> Schedule {
        try Schedule(
            Schedules.Text(
                cron: cron, zone: "UTC", from: from, until: until, jitter: jitter, misfire: misfire.rawValue,
                catchUp: catchUp), in: TimeZones())
    }

    /// Everything that starts at a look, with the times it was for, and what was missed.
    private static func fire(_ schedule: Schedule, next: Int?, since: Double = 0, now: Double) -> (
        runs: [Int], next: Int?, missed: [Int], why: [String]
    ) {
        var due = Schedules.Due(
            campaign: 7, name: "", next: next.map(Int64.init),
            firesAt: next.map { schedule.start(of: $0, campaign: 7) } ?? since, text: Schedules.Text())
        var runs: [Int] = []
        var missed: [Int] = []
        var why: [String] = []
        while due.firesAt <= now {
            let move = schedule.move(due, now: now)
            if let run = move.scheduled { runs.append(Int(run)) }
            missed += move.missed.map(Int.init)
            why += [move.why].compactMap(\.self)
            guard let next = move.next, let firesAt = move.firesAt else { return (runs, nil, missed, why) }
            (due.next, due.firesAt) = (next, firesAt)
        }
        return (runs, due.next.map(Int.init), missed, why)
    }

    @Test func aNewScheduleStartsNothingOfBefore() throws {
        let hourly = try Self.schedule("0 * * * *", misfire: .all)
        let fired = Self.fire(hourly, next: nil, since: Double(Self.start) + 0.5, now: Double(Self.start) + 1)
        #expect(fired.runs == [])
        #expect(fired.next == Self.start + 3_600)
    }

    /// Between the edit at 08:59:59.5 and the look at 09:00:00.4 lies nine o'clock.
    @Test func aTimeBetweenTheEditAndTheLookIsNotLost() throws {
        let hourly = try Self.schedule("0 * * * *")
        let fired = Self.fire(hourly, next: nil, since: Double(Self.start) - 0.5, now: Double(Self.start) + 0.4)
        #expect(fired.runs == [Self.start])
        #expect(fired.next == Self.start + 3_600)
    }

    @Test(arguments: [
        (Misfire.once, 0.9, [0]), (.skip, 0.9, [0]), (.all, 0.9, [0]),
        // Ten minutes of an outage: minutes 0 to 10 are due.
        (.once, 600.5, [600]), (.skip, 600.5, [600]), (.all, 600.5, Array(stride(from: 0, through: 600, by: 60))),
    ])
    func afterAnOutageThePolicyDecides(misfire: Misfire, late: Double, runs: [Int]) throws {
        let everyMinute = try Self.schedule("* * * * *", misfire: misfire)
        let fired = Self.fire(everyMinute, next: Self.start, now: Double(Self.start) + late)
        #expect(fired.runs.map { $0 - Self.start } == runs)
        #expect(fired.next == Self.start + Int(late) / 60 * 60 + 60)
        // Each time that came starts a run or is on record as missed.
        let came = Array(stride(from: Self.start, through: Self.start + Int(late), by: 60))
        #expect((fired.runs + fired.missed).sorted() == came)
        #expect(fired.why.isEmpty == fired.missed.isEmpty)
    }

    @Test func whatWasMissedHasItsReason() throws {
        let hourly = try Self.schedule("0 * * * *", catchUp: 7_200)
        let old = Self.fire(hourly, next: Self.start, now: Double(Self.start + 5 * 3_600 + 10))
        #expect(
            old.why == [
                "missed: no worker started it within 7200 s (catchUp); 4 times from 2026-03-01T00:00:00Z to 2026-03-01T03:00:00Z",
                "missed: a later time starts instead (misfire is once)",
            ])
        let skip = try Self.schedule("0 9 * * *", misfire: .skip)
        let one = Self.fire(skip, next: Self.start + 9 * 3_600, now: Double(Self.start + 10 * 3_600))
        #expect(one.missed == [Self.start + 9 * 3_600])
        #expect(one.why == ["missed: no worker started it within 60 s (misfire is skip)"])
    }

    /// A year without a worker is passed over in a moment.
    @Test func ofAVeryLongOutageTheOldestAreOnRecord() throws {
        let everyMinute = try Self.schedule("* * * * *")
        let year = Self.start + 365 * 86_400
        let fired = Self.fire(everyMinute, next: Self.start, now: Double(year))
        #expect(fired.runs == [year])
        #expect(fired.missed.prefix(100).elementsEqual(stride(from: Self.start, to: Self.start + 6_000, by: 60)))
        #expect(fired.why.first?.contains("more than 20") == true, "\(fired.why)")
        #expect(fired.next == year + 60)
    }

    @Test(arguments: [
        (Misfire.once, 30.0, "on time"), (.once, 90, "once"), (.all, 30, "on time"), (.all, 90, "all"),
        (.skip, 30, "on time"),
    ])
    func aTimeIsMissedAfterAMinute(misfire: Misfire, late: Double, occasion: String) throws {
        let hourly = try Self.schedule("0 * * * *", misfire: misfire)
        let due = Schedules.Due(
            campaign: 7, name: "", next: Int64(Self.start), firesAt: Double(Self.start), text: Schedules.Text())
        let move = hourly.move(due, now: Double(Self.start) + late)
        #expect(move.scheduled == Int64(Self.start))
        #expect(move.occasion == occasion)
    }

    @Test func whatWasWorkedOutByAClockThatWasAheadIsWorkedOutAgain() throws {
        let everyMinute = try Self.schedule("* * * * *", misfire: .all)
        var due = Schedules.Due(
            campaign: 7, name: "", next: Int64(Self.start + 10_860), firesAt: Double(Self.start + 10_860),
            text: Schedules.Text())
        due.isAhead = true
        let move = everyMinute.move(due, now: Double(Self.start + 30))
        #expect(move.expected == due.next)
        #expect(move.scheduled == nil)
        #expect(move.missed == [])
        #expect(move.next == Int64(Self.start + 60))
    }

    /// A run from UTC+14 to UTC-12 takes 26 hours.
    @Test(arguments: [
        ("0 9 * * *", nil, Overlap.allow), ("0 9 * * *", "skip", .skip), ("0 9 * * *", "queue", .queue),
        ("0 9 1 * *", nil, .skip), ("0 9,11 1 * *", nil, .skip),
    ])
    func aLocalTimeMayComeWhileTheRunBeforeIsOnItsWay(cron: String, written: String?, overlap: Overlap) throws {
        let text = Schedules.Text(cron: cron, zone: "Pacific/Kiritimati", overlap: written, isLocal: true)
        let local = try Schedule(text, in: TimeZones())
        let first = try #require(local.next(after: Self.start))
        #expect(local.overlap(at: first) == overlap)
        // The second of a day comes two hours behind the first.
        let second = try #require(local.next(after: first))
        #expect(local.overlap(at: second) == (cron == "0 9,11 1 * *" ? .allow : overlap))
        let everywhere = try Schedule(Schedules.Text(cron: cron, zone: "UTC", overlap: written), in: TimeZones())
        #expect(everywhere.overlap(at: first) == (written.flatMap(Overlap.init) ?? .skip))
    }

    @Test func whatIsOlderThanCatchUpIsLeftOut() throws {
        let hourly = try Self.schedule("0 * * * *", misfire: .all, catchUp: 7_200)
        let fired = Self.fire(hourly, next: Self.start, now: Double(Self.start + 86_400 + 60))
        #expect(fired.runs.map { ($0 - Self.start) / 3_600 } == [23, 24])
        let daily = try Self.schedule("0 0 * * *")
        let late = Self.fire(daily, next: Self.start, now: Double(Self.start + 3_601))
        #expect(late.runs == [])
        #expect(late.next == Self.start + 86_400)
    }

    @Test func skipGivesABusyWorkerAMinute() throws {
        let hourly = try Self.schedule("0 * * * *", misfire: .skip)
        #expect(Self.fire(hourly, next: Self.start, now: Double(Self.start) + 59).runs == [Self.start])
        #expect(Self.fire(hourly, next: Self.start, now: Double(Self.start) + 61).runs == [])
    }

    @Test func jitterIsTheSameForAllWorkersAndWithinItsBounds() throws {
        let schedule = try Self.schedule("0 9 * * *", jitter: 300)
        let delays = (0..<1_000).map { schedule.start(of: Self.start, campaign: $0) - Double(Self.start) }
        #expect(delays.allSatisfy { (0..<300).contains($0) })
        #expect(delays == (0..<1_000).map { schedule.start(of: Self.start, campaign: $0) - Double(Self.start) })
        // Spread evenly: each tenth of the time has about a tenth of them.
        for tenth in 0..<10 {
            #expect((60...140).contains(delays.count { Int($0 / 30) == tenth }))
        }
        let fired = Self.fire(schedule, next: Self.start + 9 * 3_600, now: Double(Self.start + 9 * 3_600))
        #expect(fired.runs == [])
    }

    @Test func aScheduleBeginsAndEnds() throws {
        let schedule = try Self.schedule(
            "0 9 * * *", misfire: .all, catchUp: 604_800, from: "2026-03-02", until: "2026-03-04T09:00")
        let fired = Self.fire(schedule, next: nil, since: Double(Self.start), now: Double(Self.start + 6 * 86_400))
        #expect(fired.runs.map { ($0 - Self.start) / 86_400 } == [1, 2, 3])
        #expect(fired.next == nil)
    }

    @Test func aSingleTimeFiresOnce() throws {
        let text = Schedules.Text(at: "2026-03-29T02:30", zone: "Europe/Berlin")
        let once = try Schedule(text, in: TimeZones())
        // That time is skipped there: the first instant behind is meant.
        let at = Self.start + 28 * 86_400 + 3_600
        let fired = Self.fire(once, next: nil, since: Double(Self.start), now: Double(at))
        #expect(fired.runs == [at])
        #expect(fired.next == nil)
        #expect(once.next(after: at) == nil)
    }

    @Test func aZoneThatThisMachineDoesNotKnowIsAnError() {
        let error = #expect(throws: ScheduleError.self) {
            _ = try Schedule(Schedules.Text(cron: "0 9 * * *", zone: "Mars/Olympus"), in: TimeZones())
        }
        #expect(error?.why == "there is no time zone Mars/Olympus")
    }

    /// Workers that look now and then, see old states, die between look and move, and outages: the runs are those that the
    /// policy says of each time that came.
    @Test(arguments: Misfire.allCases, 1...20)
    func whateverWorkersDoTheRunsAreThoseOfThePolicy(misfire: Misfire, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let cron = ["* * * * *", "*/7 * * * *", "0 * * * *", "30 2 * * *", "0 0 1 * *"].randomElement(using: &random)!
        let catchUp = [60.0, 600, 3_600, 86_400].randomElement(using: &random)!
        let schedule = try Self.schedule(cron, misfire: misfire, catchUp: catchUp)
        var stored: (next: Int?, firesAt: Double)? = (nil, Double(Self.start))
        var seen: [(next: Int?, firesAt: Double)] = []
        var runs: [Int] = []
        var looks: [Double] = []
        var now = Double(Self.start)
        for _ in 0..<400 {
            now += Bool.random(using: &random) ? 1 : Double.random(in: 0...20_000, using: &random)
            // A worker that looks, and one that acts on what it saw a while ago.
            if let stored { seen.append(stored) }
            let isOld = Int.random(in: 0..<4, using: &random) == 0
            guard let state = isOld ? seen.randomElement(using: &random) : stored, state.firesAt <= now else {
                continue
            }
            if !isOld { looks.append(now) }
            var current = state
            while current.firesAt <= now {
                if Int.random(in: 0..<10, using: &random) == 0 { break }  // it dies
                let due = Schedules.Due(
                    campaign: 7, name: "", next: current.next.map(Int64.init), firesAt: current.firesAt,
                    text: Schedules.Text())
                let move = schedule.move(due, now: now)
                guard let known = stored, known.next == current.next else { break }  // compare-and-set
                if let run = move.scheduled { runs.append(Int(run)) }
                guard let next = move.next, let firesAt = move.firesAt else {
                    stored = nil
                    break
                }
                stored = (Int(next), firesAt)
                current = (Int(next), firesAt)
            }
        }
        // In order, each once, and each a time of the schedule.
        #expect(runs == Array(Set(runs)).sorted(), "seed \(seed)")
        for run in runs { #expect(schedule.next(after: run - 1) == run) }
        // A run of `all` may miss only what was too old at the look that came first after it.
        let last = stored?.next ?? Int(now)
        var time = schedule.next(after: Self.start - 1)
        while misfire == .all, let at = time, at < last {
            if !runs.contains(at) {
                let look = looks.first { $0 >= Double(at) } ?? now
                #expect(looks.contains { $0 - Double(at) > catchUp } || look - Double(at) > catchUp, "seed \(seed)")
            }
            time = schedule.next(after: at)
        }
    }
}
