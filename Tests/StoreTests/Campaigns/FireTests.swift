import Postgres
import Store
import TestSupport
import Testing

/// What happens when the time of a schedule comes. Times are made up: nothing waits for a clock.
@Suite struct FireTests {
    /// 1 January 2030, 09:00 UTC.
    private static let nine: Int64 = 1_893_488_400
    private static let day: Int64 = 86_400

    private static func make(_ members: String = "") async throws -> TestDatabase {
        let test = try await ScheduleSpecTests.make(schedule: #"{"cron": "0 9 * * *", "zone": "UTC"\#(members)}"#)
        let moved = try await fire(nil, starting: nil, next: nine, in: test)
        #expect(moved.map(\.state) == [nil])
        return test
    }

    /// As a worker does that saw `expected`.
    @discardableResult private static func fire(
        _ expected: Int64?, starting: Int64?, next: Int64?, in test: TestDatabase
    ) async throws -> [Schedules.Fired] {
        try await Schedules(database: test.database).fire([move(expected, starting: starting, next: next)])
    }

    private static func move(_ expected: Int64?, starting: Int64?, next: Int64?) -> Schedules.Move {
        Schedules.Move(
            campaign: 1, expected: expected, scheduled: starting, next: next, firesAt: next.map(Double.init),
            upcoming: next.map { [$0, $0 + day] } ?? [])
    }

    /// Fires the days one after the other.
    private static func fireDays(
        _ days: Range<Int64>, overlap: String = "skip", in test: TestDatabase
    ) async throws -> [Schedules.Fired] {
        var all: [Schedules.Fired] = []
        for n in days {
            let at = nine + n * day
            var move = move(at, starting: at, next: at + day)
            move.overlap = overlap
            all += try await Schedules(database: test.database).fire([move])
        }
        return all
    }

    private static func runs(_ test: TestDatabase) async throws -> [String] {
        try await test.texts(
            "SELECT concat_ws(' ', right(split_part(key, 'T', 1), 2), state, why) FROM push.run ORDER BY id")
    }

    @Test func ofTwoWorkersThatSawTheSameTimeOneFires() async throws {
        let test = try await Self.make()
        let first = try await Self.fire(Self.nine, starting: Self.nine, next: Self.nine + Self.day, in: test)
        let second = try await Self.fire(Self.nine, starting: Self.nine, next: Self.nine + Self.day, in: test)
        #expect(first.map(\.state) == ["running"])
        #expect(first.map(\.key) == ["2030-01-01T09:00:00Z"])
        #expect(second == [])
        #expect(try await test.texts("SELECT started_by FROM push.run") == ["schedule"])
        #expect(
            try await test.texts("SELECT concat_ws(' ', n, local, zone) FROM push.campaign_next ORDER BY n") == [
                "1 2030-01-02 09:00:00 UTC", "2 2030-01-03 09:00:00 UTC",
            ])
    }

    @Test func aRunThatWasStartedByHandUnderThatKeyIsNotStartedAgain() async throws {
        let test = try await Self.make()
        _ = try await CampaignStore(database: test.database).start("spring", key: "2030-01-01T09:00:00Z")
        let fired = try await Self.fire(Self.nine, starting: Self.nine, next: nil, in: test)
        #expect(fired.map(\.state) == [nil])
        #expect(try await Self.runs(test) == ["01 running"])
        #expect(try await test.number("SELECT count(*) FROM push.campaign WHERE next_at IS NULL") == 1)
    }

    @Test func aPausedScheduleAndAnEditedOneDoNotFire() async throws {
        let test = try await Self.make()
        try await test.database.script("SELECT push.pause_schedule('spring')")
        #expect(try await Self.fire(Self.nine, starting: Self.nine, next: nil, in: test) == [])
        try await test.database.script(
            #"SELECT push.resume_schedule('spring'), push.schedule_campaign('spring', '"daily 10:00 UTC"')"#)
        #expect(try await Self.fire(Self.nine, starting: Self.nine, next: nil, in: test) == [])
        #expect(try await Self.runs(test) == [])
    }

    @Test func byDefaultAnOverlapIsSkippedAndRecorded() async throws {
        let test = try await Self.make()
        _ = try await Self.fireDays(0..<3, in: test)
        let why = #"run "2030-01-01T09:00:00Z" is running"#
        #expect(try await Self.runs(test) == ["01 running", "02 skipped \(why)", "03 skipped \(why)"])
        // What was skipped does not hide what runs.
        #expect(try await test.texts("SELECT concat_ws(' ', runs, run_state) FROM push.campaigns") == ["1 running"])
        #expect(try await CampaignStore(database: test.database).progress("spring", key: nil, limit: 5).count == 3)
    }

    @Test func anOverlapThatMayHappenHappens() async throws {
        let test = try await Self.make()
        _ = try await Self.fireDays(0..<2, overlap: "allow", in: test)
        #expect(try await Self.runs(test) == ["01 running", "02 running"])
    }

    @Test func anOverlapThatCancelsCancelsAllBefore() async throws {
        let test = try await Self.make()
        _ = try await CampaignStore(database: test.database).start("spring", key: "by hand")
        _ = try await Self.fireDays(0..<2, overlap: "cancel", in: test)
        try await Runs(database: test.database).lookAfter()
        let states = try await test.texts("SELECT concat_ws(' ', key, state) FROM push.run ORDER BY id")
        #expect(states == ["by hand cancelled", "2030-01-01T09:00:00Z cancelled", "2030-01-02T09:00:00Z running"])
    }

    @Test func aQueueHoldsOneAndBeginsItWhenTheOtherIsOver() async throws {
        let test = try await Self.make()
        _ = try await Self.fireDays(0..<3, overlap: "queue", in: test)
        let runs = Runs(database: test.database)
        try await runs.lookAfter()
        #expect(
            try await Self.runs(test) == [
                "01 running", #"02 waiting waits for the end of run "2030-01-01T09:00:00Z""#,
                #"03 skipped run "2030-01-02T09:00:00Z" is waiting"#,
            ])
        let open = try await Runs.open(in: test.database, hubs: ["news"])
        #expect([open.working, open.paused] == [2, 0])
        try await test.database.script("SELECT push.pause_run('spring', '2030-01-01T09:00:00Z')")
        // What waits for a paused one waits for a person, and a drain does not wait for it.
        let paused = try await Runs.open(in: test.database, hubs: ["news"])
        #expect([paused.working, paused.paused] == [0, 2])
        try await test.database.script("SELECT push.cancel_run('spring', '2030-01-01T09:00:00Z')")
        try await runs.lookAfter()
        try await runs.lookAfter()
        #expect(try await Self.runs(test).prefix(2).last == "02 running")
    }

    @Test func whatCannotStartIsARunThatFailedAndPausesTheScheduleWhereItShould() async throws {
        for (member, paused) in [("", 0), (#", "pauseOnFailure": 0.5"#, 1)] {
            let test = try await Self.make(member)
            try await test.database.script(
                """
                INSERT INTO push.campaign_revision (campaign, revision, hash, spec)
                SELECT campaign, 2, 'x', replace(spec::text, '"tags": ["A"]', '"list": "gone"')::json
                  FROM push.campaign_revision;
                UPDATE push.campaign SET revision = 2
                """)
            let fired = try await Self.fireDays(0..<1, in: test)
            #expect(fired.map(\.state) == ["failed"])
            #expect(fired.first?.why?.contains("there is no such list") == true)
            let shown = try await test.texts("SELECT why FROM push.campaign_next WHERE paused_at IS NOT NULL")
            #expect(shown.count == paused)
            for why in shown { #expect(why.hasPrefix("paused itself: run \"2030-01-01T09:00:00Z\" could not begin")) }
        }
    }

    @Test func aScheduleWhoseRunFailedTooOftenPausesItself() async throws {
        let test = try await Self.make(#", "pauseOnFailure": 0.2"#)
        _ = try await Self.fireDays(0..<1, in: test)
        // Three of ten failed.
        try await test.database.script(
            """
            INSERT INTO push.slice (stream, n, first_id, last_id, rows, due_from, due_to)
            SELECT id, 1, 1, 10, 10, now(), now() FROM push.stream;
            INSERT INTO push.slice_count (stream, n, status, reason, rows)
            SELECT id, 1, s, r, c
              FROM push.stream, (VALUES ('accepted'::push.status, 'taken_by_hub'::push.reason, 7),
                                        ('rejected', 'target_gone', 3)) v(s, r, c);
            UPDATE push.stream SET done_at = now(), expanded = 10
            """)
        try await Runs(database: test.database).lookAfter()
        #expect(try await test.texts("SELECT state::text FROM push.run") == ["done"])
        #expect(
            try await test.texts("SELECT why FROM push.campaign_next") == [
                #"paused itself: of run "2030-01-01T09:00:00Z" 3 of 10 messages failed, more than 20 %"#
            ])
        #expect(try await Self.fire(Self.nine + Self.day, starting: nil, next: nil, in: test) == [])
    }

    @Test func whatIsMadeUpRunsInOrderAndOnce() async throws {
        let test = try await Self.make()
        let backfill: SQL = """
            SELECT concat_ws(' ', started, known)
              FROM push.backfill_campaign('spring', ARRAY['2026-01-02 09:00Z', '2026-01-01 09:00Z']::timestamptz[])
            """
        #expect(try await test.texts(backfill) == ["2 0"])
        #expect(try await test.texts(backfill) == ["0 2"])
        #expect(try await Self.runs(test) == ["01 running", "02 waiting waits for its turn"])
        for (time, words) in [("2126-01-01 09:00Z", "2126-01-01T09:00:00.000Z has not come yet: it is 20")] {
            let early = await #expect(throws: DatabaseError.self) {
                try await test.database.execute(
                    "SELECT push.backfill_campaign('spring', ARRAY[(\(time))::timestamptz])")
            }
            #expect(early?.message.contains(words) == true, "\(early?.message ?? "")")
        }
        let many = await #expect(throws: DatabaseError.self) {
            _ = try await test.database.script(
                "SELECT push.backfill_campaign('spring', (SELECT array_agg(now()) FROM generate_series(1, 1001)))")
        }
        #expect(many?.hint?.contains("in parts") == true)
    }

    @Test func aCampaignHasAThousandRunsThatWaitAtMost() async throws {
        let test = try await Self.make(#", "misfire": "all""#)
        func backfill(_ day: Int32, _ runs: Int32) async throws {
            try await test.database.execute(
                """
                SELECT push.backfill_campaign('spring', (
                    SELECT array_agg('2020-01-01Z'::timestamptz + make_interval(days => \(day), mins => n))
                      FROM generate_series(1, \(runs)) n))
                """)
        }
        try await backfill(0, 1_000)
        try await backfill(0, 1_000)
        let error = await #expect(throws: DatabaseError.self) { try await backfill(1, 2) }
        #expect(
            error?.message
                == "campaign spring has 999 runs that wait, and 2 more would be too many: at most 1000 wait at once")
        #expect(error?.hint?.contains("fewer times") == true)
        try await backfill(1, 1)
        var missed = Self.move(Self.nine, starting: Self.nine, next: nil)
        missed.occasion = "all"
        let fired = try await Schedules(database: test.database).fire([missed])
        #expect(fired.map(\.state) == ["skipped"])
        #expect(fired.map(\.why) == ["1000 runs wait already"])
    }

    @Test func whatWasMissedIsOnRecordAndShownUntilTheScheduleMovesOn() async throws {
        let test = try await Self.make()
        let day = Self.day
        var move = Self.move(Self.nine, starting: nil, next: Self.nine + 2 * day)
        move.missed = [Self.nine, Self.nine + day]
        move.why = "missed: no worker started it in time"
        let fired = try await Schedules(database: test.database).fire([move])
        #expect(fired.map(\.missed) == [2])
        #expect(fired.map(\.key) == ["2030-01-01T09:00:00Z"])
        #expect(fired.map(\.why) == [move.why])
        #expect(
            try await Self.runs(test) == [
                "01 skipped missed: no worker started it in time", "02 skipped missed: no worker started it in time",
            ])
        let shown: SQL = "SELECT concat_ws('|', runs, run_state, schedule_why) FROM push.campaigns"
        #expect(try await test.texts(shown) == [#"0|run "2030-01-01T09:00:00Z" missed: no worker started it in time"#])
        #expect(try await test.number("SELECT count(*) FROM push.audit WHERE action = 'run_skipped'") == 1)
        _ = try await Self.fire(Self.nine + 2 * day, starting: Self.nine + 2 * day, next: nil, in: test)
        #expect(try await test.texts(shown) == ["1|running"])
    }

    /// The server's clock was ahead: times were called missed that come only now.
    @Test func aTimeThatComesAfterAllWasNotMissed() async throws {
        let test = try await Self.make()
        var move = Self.move(Self.nine, starting: nil, next: Self.nine + Self.day)
        (move.missed, move.why) = ([Self.nine], "missed: no worker started it in time")
        _ = try await Schedules(database: test.database).fire([move])
        try await test.database.script("UPDATE push.campaign SET next_at = to_timestamp(\(Self.nine))")
        let fired = try await Self.fire(Self.nine, starting: Self.nine, next: Self.nine + Self.day, in: test)
        #expect(fired.map(\.state) == ["running"])
        #expect(try await Self.runs(test) == ["01 running"])
    }

    @Test func whatTheScheduleSkippedCanBeMadeUp() async throws {
        let test = try await ScheduleSpecTests.make(schedule: #"{"cron": "0 9 * * *", "zone": "UTC"}"#)
        let past: Int64 = 1_577_869_200
        _ = try await Self.fire(nil, starting: nil, next: past, in: test)
        _ = try await Self.fire(past, starting: past, next: past + Self.day, in: test)
        _ = try await Self.fire(past + Self.day, starting: past + Self.day, next: nil, in: test)
        #expect(try await Self.runs(test).map { $0.prefix(10) } == ["01 running", "02 skipped"])
        let backfill: SQL = """
            SELECT concat_ws(' ', started, known)
              FROM push.backfill_campaign('spring', ARRAY['2020-01-01 09:00Z', '2020-01-02 09:00Z']::timestamptz[])
            """
        #expect(try await test.texts(backfill) == ["1 1"])
        #expect(try await Self.runs(test) == ["01 running", "02 waiting waits for its turn"])
    }

    /// What is on record and was not sent is no run: a start by hand sends it.
    @Test func whatWasNotSentIsStartedByHandUnderItsKey() async throws {
        let test = try await Self.make()
        let campaigns = CampaignStore(database: test.database)
        _ = try await Self.fireDays(0..<2, in: test)
        var missed = Self.move(Self.nine + 2 * Self.day, starting: nil, next: Self.nine + 3 * Self.day)
        (missed.missed, missed.why) = ([Self.nine + 2 * Self.day], "missed: no worker started it in time")
        _ = try await Schedules(database: test.database).fire([missed])
        #expect(try await Self.runs(test).map { $0.prefix(10) } == ["01 running", "02 skipped", "03 skipped"])
        for day in 2...3 {
            #expect(try await campaigns.start("spring", key: "2030-01-0\(day)T09:00:00Z"))
            #expect(try await !campaigns.start("spring", key: "2030-01-0\(day)T09:00:00Z"))
        }
        #expect(try await Self.runs(test) == ["01 running", "02 running", "03 running"])
        #expect(try await test.number("SELECT count(*) FROM push.stream") == 3)
        // That it was skipped stays on record.
        #expect(try await test.number("SELECT count(*) FROM push.audit WHERE action = 'run_skipped'") == 2)
    }

    /// The start by hand waits for a firing that has not committed, and sees what it put on record.
    @Test func aStartByHandWaitsForAFiringThatSkipsItsKey() async throws {
        let test = try await Self.make()
        let (other, campaigns) = (test.another(maximumConnections: 1), CampaignStore(database: test.database))
        _ = try await Self.fireDays(0..<1, in: test)
        let second = Self.nine + Self.day
        let starting = try await other.withTransaction { connection in
            try await connection.execute(
                """
                SELECT FROM push_worker.fire_v1('{1}', ARRAY[\(second)], ARRAY[\(second)], '{skip}', '{on time}', '{"{}"}', '{NULL}',
                                                '{NULL}', '{NULL}', '{NULL}')
                """)
            let starting = Task { try await campaigns.start("spring", key: "2030-01-02T09:00:00Z") }
            try await Awaited.until("the start waits") {
                let waiting = try await connection.query(
                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
                ) { rows in try rows.single { row in try row.int64() } }
                return (waiting, waiting == 1)
            }
            return starting
        }
        #expect(try await starting.value)
        #expect(try await Self.runs(test) == ["01 running", "02 running"])
        await other.close()
    }

    /// Its list is there again.
    @Test func whatCouldNotBeginIsStartedByHandUnderItsKey() async throws {
        let test = try await Self.make()
        let campaigns = CampaignStore(database: test.database)
        try await test.database.script(
            """
            SELECT push.make_list('gone');
            SELECT push.create_campaign('spring', (SELECT replace(spec::text, '"tags": ["A"]', '"list": "gone"')::json
                                                     FROM push.campaign_revision));
            SELECT push.drop_list('gone');
            UPDATE push.campaign SET next_at = to_timestamp(\(Self.nine));
            """)
        #expect(try await Self.fireDays(0..<1, in: test).map(\.state) == ["failed"])
        await #expect(throws: DatabaseError.self) { try await campaigns.start("spring", key: "2030-01-01T09:00:00Z") }
        #expect(try await test.texts("SELECT state::text FROM push.run") == ["failed"])
        try await test.database.script("SELECT push.make_list('gone')")
        #expect(try await campaigns.start("spring", key: "2030-01-01T09:00:00Z"))
        #expect(try await test.texts("SELECT state::text FROM push.run") == ["running"])
    }

    @Test func missedTimesGoOneBehindTheOther() async throws {
        let test = try await Self.make(#", "misfire": "all""#)
        for n in 0..<3 {
            let at = Self.nine + Int64(n) * Self.day
            var move = Self.move(at, starting: at, next: at + Self.day)
            move.occasion = "all"
            _ = try await Schedules(database: test.database).fire([move])
        }
        #expect(
            try await Self.runs(test) == [
                "01 running", "02 waiting waits for its turn", "03 waiting waits for its turn",
            ])
    }

    @Test func whatWasWorkedOutByAClockThatWasAheadIsFoundAgain() async throws {
        let test = try await Self.make()
        let schedules = Schedules(database: test.database)
        #expect(try await schedules.look(atMost: 10, except: []).due == [])
        try await test.database.script("UPDATE push.campaign SET moved_at = now() + interval '3 hours'")
        let look = try await schedules.look(atMost: 10, except: [])
        #expect(look.due.map(\.isAhead) == [true])
        #expect(look.due.map(\.next) == [Self.nine])
        #expect(look.next == nil)
        #expect(try await schedules.look(atMost: 10, except: [1]).due == [])
        _ = try await Self.fire(Self.nine, starting: nil, next: Self.nine - Self.day, in: test)
        #expect(try await schedules.look(atMost: 10, except: []).due == [])
    }

    @Test func whatAWorkerCannotWorkOutIsSaidOnceAndForgottenWhenAnotherCan() async throws {
        let test = try await Self.make()
        let schedules = Schedules(database: test.database)
        #expect(try await schedules.doubt(1, because: "there is no time zone Mars/Base") == true)
        #expect(try await schedules.doubt(1, because: "there is no time zone Mars/Base") == false)
        let why: SQL = "SELECT DISTINCT coalesce(why, 'none') FROM push.campaign_next"
        #expect(try await test.texts(why) == ["there is no time zone Mars/Base"])
        _ = try await Self.fireDays(0..<1, in: test)
        #expect(try await test.texts(why) == ["none"])
    }

    @Test func aLookReturnsWhatIsDueAndWhenTheNextOneIs() async throws {
        let test = try await Self.make()
        let schedules = Schedules(database: test.database)
        #expect(try await schedules.look(atMost: 10, except: []).next == Double(Self.nine))
        try await test.database.script(
            """
            SELECT push.create_campaign('other', (spec::jsonb - 'schedule')::json) FROM push.campaign_revision;
            SELECT push.schedule_campaign('other', '{"at": "2031-01-01", "zone": "Asia/Tokyo", "jitter": "5 min",
                                                     "misfire": "all", "catchUp": "2 h", "until": "2032-01-01"}')
            """)
        let look = try await schedules.look(atMost: 10, except: [])
        #expect(look.due.map(\.name) == ["other"])
        #expect(look.due.map(\.next) == [nil])
        #expect(
            look.due.map(\.text) == [
                Schedules.Text(
                    at: "2031-01-01", zone: "Asia/Tokyo", until: "2032-01-01", jitter: 300, misfire: "all",
                    catchUp: 7_200)
            ])
        #expect(look.next == Double(Self.nine))
        #expect(try await schedules.look(atMost: 10, except: look.due.map(\.campaign)).due == [])
    }
}
