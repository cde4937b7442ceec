import Postgres
import Synchronization
import Telemetry
import Testing

@testable import PushWorker
@testable import Store

/// The pulse is read beside the heartbeat, and never at its cost.
@Suite(.timeLimit(.minutes(10))) struct PulseReaderTests {
    private let it = HeartbeatFixture()

    private static func pulse(due: Int64, more: Bool = false, runs: String = "[]") throws -> DatabasePulse {
        try DatabasePulse(
            json: """
                {"hubs": ["news", "other"], "in_doubt": [{"hub": "news", "messages": 2}], "more_in_doubt": false,
                 "lanes": [{"hub": "news", "priority": 1, "due": \(due), "more_due": \(more), "later": 0,
                            "more_later": false, "waiting": 12.5}],
                 "workers": {"alive": 2, "silent": 0, "oldest_beat": 3.5}, "default_rows": 0,
                 "devices": [{"hub": "other", "waiting": 10000, "more": true}], "campaigns_unapproved": 7, "runs": \(runs), "runs_omitted": 4,
                 "runs_paused_by_themselves": 1, "snapshot_held": 12.25, "results_held": 3.5}
                """)
    }

    private static func shared(_ pulse: DatabasePulse, age: Double = 0) -> Workers.SharedPulse {
        Workers.SharedPulse(pulse: pulse, age: age, takenBy: 1, milliseconds: 3, isNew: true)
    }

    /// The lines of a page that begin so.
    private func lines(_ prefix: String) -> [String] {
        var reading = it.metrics.reading(now: it.time.now)
        it.pulse.collect(into: &reading, now: it.time.now)
        let page = String(decoding: MetricsText.page(of: reading, in: .prometheus), as: UTF8.self)
        return page.split(separator: "\n").map(String.init).filter { $0.hasPrefix(prefix) }
    }

    @Test func itIsReadWhenTheLastOneIsOldAndNotWithEveryBeat() async throws {
        let pulse = try Self.pulse(due: 7)
        it.workers.onBeat { .success(.alive($0)) }
        it.workers.onPulse { n in .success(Self.shared(pulse, age: n == 1 ? 9 : 0)) }
        await it.run(beats: 13)
        // At once, 6 s later because it was 9 s old, and then every 15 s at a beat; 13 beats take 28.8 to 36 s.
        #expect((3...4).contains(it.workers.pulses.count), "\(it.workers.pulses)")
        #expect(it.workers.pulses.allSatisfy { $0.every == 15 && $0.seconds == 2 })
        #expect(it.workers.beats.count == 13)
    }

    @Test func itsNumbersAreToldWithZerosForWhatIsEmpty() async throws {
        let pulse = try Self.pulse(due: 10_000, more: true)
        it.workers.onBeat { .success(.alive($0)) }
        it.workers.onPulse { _ in .success(Self.shared(pulse)) }
        await it.run(beats: 1)
        let backlog = lines("fanfare_backlog_messages{")
        #expect(backlog.count == 6 && backlog.filter { $0.hasSuffix(" 0") }.count == 5)
        #expect(backlog.contains(#"fanfare_backlog_messages{hub="news",priority="1"} 10000"#))
        #expect(lines("fanfare_backlog_is_capped{").contains(#"fanfare_backlog_is_capped{hub="news",priority="1"} 1"#))
        #expect(
            lines("fanfare_oldest_due_seconds{").contains(#"fanfare_oldest_due_seconds{hub="news",priority="1"} 12.5"#))
        #expect(
            lines("fanfare_in_doubt_messages{")
                == [#"fanfare_in_doubt_messages{hub="news"} 2"#, #"fanfare_in_doubt_messages{hub="other"} 0"#])
        #expect(lines("fanfare_workers ") == ["fanfare_workers 2"])
        #expect(lines("fanfare_oldest_beat_seconds ") == ["fanfare_oldest_beat_seconds 3.5"])
        #expect(lines("fanfare_default_partition_rows ") == ["fanfare_default_partition_rows 0"])
        #expect(lines("fanfare_pulse_failures_total ") == ["fanfare_pulse_failures_total 0"])
    }

    @Test func runsAreToldByStateAndStatusUntilTheyEnd() async throws {
        let running = try Self.pulse(
            due: 0,
            runs: #"""
                [{"campaign": "spring", "run": "a \"b\" \\ c\nd", "state": "paused",
                  "messages": {"open": 3, "in_doubt": 2}},
                 {"campaign": "spring", "run": "large", "state": "running", "messages": null}]
                """#)
        let ended = try Self.pulse(due: 0)
        it.workers.onBeat { .success(.alive($0)) }
        it.workers.onPulse { n in .success(Self.shared(n == 1 ? running : ended)) }
        await it.run(beats: 1)
        let key = #"campaign="spring",run="a \"b\" \\ c\nd""#
        #expect(
            lines("fanfare_run_messages{")
                == [("accepted", 0), ("cancelled", 0), ("expired", 0), ("in_doubt", 2), ("open", 3), ("rejected", 0)]
                .map { "fanfare_run_messages{\(key),status=\"\($0.0)\"} \($0.1)" })
        let states = lines("fanfare_run_state{")
        #expect(states.count == 10 && states.filter { $0.hasSuffix(" 1") }.count == 2)
        #expect(states.contains("fanfare_run_state{\(key),state=\"paused\"} 1"))
        #expect(states.contains(#"fanfare_run_state{campaign="spring",run="large",state="running"} 1"#))
        #expect(lines("fanfare_campaigns_unapproved ") == ["fanfare_campaigns_unapproved 7"])
        #expect(lines("fanfare_runs_omitted ") == ["fanfare_runs_omitted 4"])
        #expect(lines("fanfare_runs_paused_by_themselves ") == ["fanfare_runs_paused_by_themselves 1"])
        #expect(lines("fanfare_snapshot_held_seconds ") == ["fanfare_snapshot_held_seconds 12.25"])
        #expect(lines("fanfare_results_held_seconds ") == ["fanfare_results_held_seconds 3.5"])
        #expect(
            lines("fanfare_devices_waiting{")
                == [#"fanfare_devices_waiting{hub="news"} 0"#, #"fanfare_devices_waiting{hub="other"} 10000"#])

        it.workers.end(after: 8)
        await it.run(beats: 8)
        #expect(it.workers.pulses.count >= 2 && lines("fanfare_run_").isEmpty)
        #expect(lines("fanfare_runs_omitted ").count == 1)
    }

    @Test func oneThatFailsHarmsNoBeatAndItsNumbersDisappear() async throws {
        let pulse = try Self.pulse(due: 7)
        let tooLong = DatabaseError(doing: "take the pulse", sqlState: "57014", message: "statement timeout")
        it.workers.onBeat { .success(.alive($0)) }
        let failed = Mutex(0)
        it.workers.onPulse { [time = it.time] n in
            if n == 1 { return .success(Self.shared(pulse)) }
            time.pass(2)
            if !Task.isCancelled { failed.withLock { $0 += 1 } }
            return .failure(tooLong)
        }
        await it.run(beats: 5)
        #expect(lines("fanfare_backlog_messages{").count == 6)
        it.workers.end(after: 30)
        let began = it.time.now
        #expect(await it.run(beats: 30) == nil)
        #expect(lines("fanfare_backlog").isEmpty && lines("fanfare_workers").isEmpty && lines("fanfare_old").isEmpty)
        #expect(lines("fanfare_run").isEmpty && lines("fanfare_snapshot").isEmpty)
        #expect(lines("fanfare_devices_waiting").isEmpty)
        let failures = failed.withLock { $0 }
        #expect(failures >= 3)
        #expect(lines("fanfare_pulse_failures_total ") == ["fanfare_pulse_failures_total \(failures)"])
        #expect(it.log.fields(of: "cannot see how much is pending; the metrics of that are not shown").count == 1)
        // What a look took is taken off the pause: 25 beats took no more than 25 pauses.
        #expect(it.time.now - began <= 25 * 3 + 0.001, "\(it.time.now - began)")
        #expect(it.heartbeat.isFresh)
    }

    @Test func aNumberThatIsOldIsNotTold() async throws {
        let pulse = try Self.pulse(due: 7)
        it.workers.onBeat { $0 == 1 ? .success(.alive($0)) : .failure(.away) }
        it.workers.onPulse { _ in .success(Self.shared(pulse, age: 14)) }
        await it.run(beats: 1)
        it.time.pass(PulseReader.keepSeconds - 14.01 - it.time.slept.reduce(0, +))
        #expect(lines("fanfare_workers ") == ["fanfare_workers 2"])
        it.time.pass(0.1)
        #expect(lines("fanfare_workers ").isEmpty)
    }

    @Test func whileAnotherTakesItItIsAskedForWithTheNextBeat() async throws {
        let pulse = try Self.pulse(due: 7)
        it.workers.onBeat { .success(.alive($0)) }
        it.workers.onPulse { n in
            n == 1 ? .success(nil) : .success(Self.shared(pulse, age: n == 2 ? 16 : 1))
        }
        await it.run(beats: 4)
        #expect(it.workers.pulses.count == 3)
    }

    /// With a short lease, a look takes less than the pause between two beats.
    @Test func aLookNeverTakesLongerThanAPause() async throws {
        let it = HeartbeatFixture(lease: 5)
        it.workers.onBeat { .success(.alive($0)) }
        await it.run(beats: 1)
        #expect(it.workers.pulses.map(\.seconds).allSatisfy { $0 < 0.8 } && it.workers.pulses.count == 1)
    }
}
