import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// What people do with a hub or a worker, and what they look at (migration 5).
@Suite(.serialized, .timeLimit(.minutes(2))) struct HubFunctionTests {
    @Test func aGateIsOpenedByAPersonAndAPauseStays() async throws {
        let bench = try await Bench.make()
        #expect(try await bench.test.texts("SELECT push.open_gate('news')::text") == ["false"])
        try await Hubs(database: bench.database).closeGate(bench.hub, seconds: 600)
        try await bench.database.execute("SELECT push.pause_hub('news')")
        #expect(try await bench.test.texts("SELECT push.open_gate('news')::text") == ["true"])
        #expect(try await bench.test.texts("SELECT state FROM push.hub_health") == ["paused"])
        try await bench.database.execute("SELECT push.resume_hub('news')")
        #expect(try await bench.test.texts("SELECT state FROM push.hub_health") == ["open"])
        #expect(try await bench.test.number("SELECT count(*) FROM push.audit WHERE action = 'open_gate'") == 2)
    }

    @Test func aRateIsSetForAllWorkersAndTakenBack() async throws {
        var hub = TestWorker.news
        hub.ratePerSecond = 7
        let bench = try await Bench.make(hub)
        let shown: SQL = "SELECT concat_ws(' ', rate, rate_set) FROM push.hub_health"
        #expect(try await bench.test.texts(shown) == ["7 f"])
        try await bench.database.execute("SELECT push.set_rate('news', 2.5)")
        #expect(try await bench.test.texts(shown) == ["2.5 t"])
        try await bench.database.execute("SELECT push.set_rate('news', 0)")
        #expect(try await bench.test.texts(shown) == ["t"])
        try await bench.database.execute("SELECT push.set_rate('news', NULL)")
        #expect(try await bench.test.texts(shown) == ["7 f"])
        #expect(
            try await bench.test.texts(
                "SELECT detail ->> 'rate' FROM push.audit WHERE action = 'set_rate' AND detail ->> 'rate' IS NOT NULL ORDER BY id"
            )
                == ["2.5", "0"])
    }

    @Test func aHubIsAddedBeforeAWorkerServesItAndTakesTheWorkersSettingsLater() async throws {
        let bench = try await Bench.make()
        try await bench.database.execute("SELECT push.add_hub('sport', languages => '{en,de}', fallback => 'en')")
        try await bench.database.execute("INSERT INTO push.message (hub, tag, content) VALUES ('sport', 'a', '{}')")
        #expect(
            try await bench.test.texts("SELECT worker FROM push.hub_health WHERE hub = 'sport'") == [
                "no worker serves this hub"
            ])
        var hub = HubSettings(name: "sport")
        hub.languages = ["en": "English"]
        hub.fallback = "en"
        _ = try await Hubs(database: bench.database).register(hub)
        #expect(
            try await bench.test.texts("SELECT array_to_string(languages, ',') FROM push.hub WHERE name = 'sport'") == [
                "en"
            ])
        let error = await #expect(throws: DatabaseError.self) {
            try await bench.database.execute("SELECT push.add_hub('sport')")
        }
        #expect(error?.sqlState == "23505")
        #expect(error?.hint?.contains("fanfare migrate up") == true)
    }

    @Test(arguments: [
        ("SELECT push.add_hub('No Name')", "22023"), ("SELECT push.add_hub(NULL)", "22023"),
        ("SELECT push.add_hub('x', localization => 'magic')", "22023"),
        ("SELECT push.add_hub('x', on_doubt => 'hope')", "22023"),
        ("SELECT push.add_hub('x', fallback => 'en')", "22023"),
        ("SELECT push.add_hub('x', expire_after => '-1 s')", "22023"),
        ("SELECT push.set_rate('news', -1)", "22023"), ("SELECT push.set_rate('news', 'NaN')", "22023"),
        ("SELECT push.set_rate('nowhere', 1)", "P0002"), ("SELECT push.open_gate('nowhere')", "P0002"),
        ("SELECT push.rescue(99)", "P0002"), ("SELECT push.eta('nowhere')", "P0002"),
        ("SELECT push.purge('1 hour')", "22023"), ("SELECT push.purge(NULL)", "22023"),
        ("SELECT push.purge('30 days', batch => 0)", "22023"),
    ]) func whatCannotBeMeantIsRefusedWithAHint(_ sql: String, _ state: String) async throws {
        let bench = try await Bench.make()
        let error = await #expect(throws: DatabaseError.self) { try await bench.database.execute("\(raw: sql)") }
        #expect(error?.sqlState == state)
        #expect(error?.hint?.isEmpty == false)
        #expect(try await bench.count("audit") == 0)
    }

    @Test func aWorkerThatBeatsIsNotRescuedUnlessForced() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(3)
        let claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0]]], under: claim.id)
        let rescue: SQL = "SELECT claims || ' ' || returned || ' ' || doubted FROM push.rescue(\(bench.queue.worker))"
        let error = await #expect(throws: DatabaseError.self) { try await bench.test.texts(rescue) }
        #expect(error?.sqlState == "55006")
        #expect(error?.message.contains("host/1") == true)
        #expect(try await bench.count("claim") == 1)
        #expect(
            try await bench.test.texts(
                "SELECT claims || ' ' || returned || ' ' || doubted FROM push.rescue(\(bench.queue.worker), force => true)"
            ) == ["1 2 1"])
        #expect(try await bench.count("worker") == 0)
        #expect(try await bench.lost() == [])
    }

    @Test func aWorkerThatStandsStillIsRescued() async throws {
        let bench = try await Bench.make()
        try await bench.insert(3)
        _ = try await bench.claim()
        try await bench.database.execute("UPDATE push.worker SET beat_at = beat_at - interval '1 minute'")
        let found = try await bench.workers.rescue(bench.queue.worker, force: false)
        #expect(found == Workers.Rescued(claims: 1, returned: 3, doubted: 0))
        #expect(try await bench.test.number("SELECT count(*) FROM push.audit WHERE action = 'rescue'") == 1)
    }

    @Test func healthTellsHowAHubIsServed() async throws {
        let bench = try await Bench.make()
        let other = try await bench.another()
        for (worker, key, window, skew) in [
            (bench.queue.worker, "primary", 8, 1.0), (other.worker, "secondary", 4, -90.0),
        ] {
            try await bench.database.execute(
                """
                INSERT INTO push.serving (worker, hub, key, has_secondary, token_expires_at, signings, "window", in_flight, rate, skew_seconds)
                VALUES (\(worker), \(bench.hub), \(key), true, now() + \(Int32(window)) * interval '1 minute', 1, \(Int32(window)), 3, 10.5, \(skew))
                """)
        }
        let shown: SQL = """
            SELECT concat_ws(' ', workers, coalesce(worker, '-'), "window", in_flight, answers_per_second, skew_seconds,
                             round(extract(epoch FROM token_expires_at - now()) / 60)) FROM push.hub_health
            """
        #expect(try await bench.test.texts(shown) == ["2 - 12 6 21 -90 4"])
        try await bench.database.execute(
            "UPDATE push.worker SET beat_at = beat_at - interval '1 minute' WHERE id = \(other.worker)")
        #expect(try await bench.test.texts(shown) == ["1 - 8 3 10.5 1 8"])
        try await bench.database.execute("UPDATE push.worker SET beat_at = beat_at - interval '1 minute'")
        #expect(try await bench.test.texts("SELECT worker FROM push.hub_health") == ["no worker serves this hub"])
    }

    @Test func anEstimateComesFromBacklogAndThroughput() async throws {
        let bench = try await Bench.make()
        try await bench.insert(600)
        let estimate: SQL = "SELECT concat_ws(' ', pending, ahead, per_second, seconds, why) FROM push.eta('news')"
        #expect(try await bench.test.texts(estimate) == ["600 600 nothing was sent in the last ten minutes"])
        try await bench.database.execute(
            """
            INSERT INTO push.tally (hub, minute, status, reason, n)
            VALUES (\(bench.hub), date_trunc('minute', now()) - interval '3 minutes', 'accepted', 'taken_by_hub', 300),
                   (\(bench.hub), date_trunc('minute', now()) - interval '1 hour', 'accepted', 'taken_by_hub', 90000)
            """)
        #expect(try await bench.test.texts(estimate) == ["600 600 5 120"])
        // a campaign waits for what is in front of it, and what is scheduled for its time
        try await bench.database.execute(
            "INSERT INTO push.message (hub, tag, content, campaign) SELECT 'news', 'a', '{}', 'spring' FROM generate_series(1, 300)"
        )
        #expect(
            try await bench.test.texts(
                "SELECT concat_ws(' ', pending, ahead, seconds) FROM push.eta(campaign => 'spring')") == ["300 900 180"]
        )
        try await bench.database.execute("SELECT push.pause_hub('news')")
        #expect(try await bench.test.texts(estimate) == ["900 900 5 paused by postgres"])
        #expect(try await bench.test.texts("SELECT why FROM push.eta(campaign => 'nothing')") == [])
    }

    @Test func aSnapshotThatIsHeldIsNamedWithWhatEndsIt() async throws {
        let bench = try await Bench.make()
        let holder = bench.test.another(maximumConnections: 1)
        try await holder.withTransaction { connection in
            try await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            try await connection.execute("SELECT FROM push.due")
            let pid = try await connection.query("SELECT pg_backend_pid()::text") { rows in try rows[0].string(0) }
            #expect(
                try await bench.test.texts("SELECT kind || ' ' || holder FROM push.snapshot_holders") == [
                    "session \(pid)"
                ])
            let watcher = try await bench.test.login(as: "push_monitor")
            #expect(
                try await watcher.texts("SELECT mend FROM push.snapshot_holders").first?.contains(
                    "pg_terminate_backend(\(pid))") == true)
            await watcher.database.close()
        }
        await holder.close()
        #expect(try await bench.test.texts("SELECT kind FROM push.snapshot_holders") == [])
    }

    @Test func failuresAreListedNewestFirstWithWhatTheHubSaid() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(3)
        let claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await bench.complete(
            [.rejected(claim.post(1)), .accepted(claim.post(2))],
            left: [
                .init(claim: claim.id, message: ids[2], outcome: MessageOutcome(.expired, .expired, note: "too old"))
            ],
            finished: [claim.id])
        #expect(
            try await bench.test.texts(
                "SELECT concat_ws(' ', id, status, reason, class, http, note) FROM push.recent_failures")
                == ["\(ids[2]) expired expired policy too old", "\(ids[0]) rejected bad_request content 400"])
        #expect(try await bench.test.number("SELECT messages FROM push.throughput WHERE status = 'rejected'") == 1)
        try await bench.database.execute("UPDATE push.result SET at = at - interval '2 days'")
        #expect(try await bench.test.number("SELECT count(*) FROM push.recent_failures") == 0)
    }
}
