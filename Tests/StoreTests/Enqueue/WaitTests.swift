import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What a message may wait for, and how each way to enqueue says so.
@Suite(.timeLimit(.minutes(10))) struct WaitTests {
    /// Refuses one row of push.message.
    private func refusal(of values: String, in store: StoreFixture, as database: Database? = nil) async throws -> String
    {
        do {
            try await (database ?? store.database).execute(
                "INSERT INTO push.message (hub, tag, content, \(raw: values)")
        } catch {
            return "\(error.column ?? "-") \(error.constraint ?? "-"): \(error.message)"
        }
        return "taken"
    }

    @Test func whatNoMessageCanWaitForIsRefused() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(1)
        try await store.put("ines")
        let row = "VALUES ('news', 'a', '{\"message\": \"hi\"}',"
        let caller = try await store.test.texts("SELECT session_user::text")[0]
        #expect(
            try await refusal(of: "after) \(row) 99)", in: store)
                == "after after_is_an_earlier_message: push.message.after 99: \(caller) enqueued no such "
                + "message before this one")
        #expect(
            try await refusal(of: "after_device) \(row) 'ghost')", in: store)
                == "after_device after_device_is_known: push.message.after_device \"ghost\": nobody has changed such a "
                + "device of hub \"news\"")
        #expect(
            try await refusal(of: "after_device) \(row) '')", in: store)
                == "after_device names_have_1_to_200_characters: push.message.after_device is empty")
        #expect(
            try await refusal(of: "after, after_device) \(row) 1, 'ines')", in: store)
                == "after_device a_message_waits_for_one_thing: push.message.after 1 stands beside after_device \"ines\""
        )
        #expect(
            try await refusal(of: "after_at_most) \(row) '1 min')", in: store)
                == "after_at_most after_at_most_belongs_to_a_wait: push.message.after_at_most stands without after and "
                + "after_device")
        for length in ["0", "-1 s", "1 day 1 s", "1 mon"] {
            #expect(
                try await refusal(of: "after, after_at_most) \(row) 1, '\(length)')", in: store)
                    .contains("is not above 0 and at most a day"), "\(length)")
        }
        #expect(
            try await refusal(of: "after, content_key) \(row) 1, 'k')", in: store)
                == "after a_content_with_a_key_waits_for_translations: push.message.after stands beside content_key")
        #expect(try await store.count("waiting") == 0)
        #expect(try await store.count("message") == 1)
    }

    @Test func aMessageOfAnotherLoginIsUnknownAndAMonitorMayNameIt() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(1)
        let row = "after) VALUES ('news', 'a', '{\"message\": \"hi\"}', 1)"
        let shop = try await store.test.login(as: "push_enqueue")
        #expect(try await refusal(of: row, in: store, as: shop.database).contains("enqueued no such message"))
        let seer = try await store.test.login(as: "push_operator")
        let name = try await seer.texts("SELECT current_user::text")[0]
        try await store.database.script("GRANT push_enqueue TO \(name)")
        #expect(try await refusal(of: row, in: store, as: seer.database) == "taken")
        let first = try await store.test.number("SELECT max(id) FROM push.message")
        try await seer.database.execute(
            "SELECT push.enqueue('news', 'b', '{\"message\": \"hi\"}', after => \(first))")
        #expect(try await store.count("waiting") == 2)
    }

    @Test func noRowWaitsForItselfOrALaterOne() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(1)
        for place in 1...2 as ClosedRange<Int64> {
            let id = try await store.test.number(
                "SELECT pg_sequence_last_value('push.message_id_seq') + \(place)")
            let said = try await refusal(
                of: "after) SELECT 'news', 'a', '{\"message\": \"hi\"}'::json, \(id) FROM generate_series(1, 3)",
                in: store)
            #expect(said.contains("enqueued no such message before this one"), "\(said)")
        }
    }

    @Test func everyWayToEnqueueWaits() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(1)
        try await store.put("ines")
        let shop = try await store.test.login(as: "push_enqueue")
        let name = try await shop.texts("SELECT current_user::text")[0]
        try await store.database.script("GRANT push_register TO \(name)")
        try await shop.database.execute("SELECT push.patch_device('news', 'ines', add_tags => '{a}')")
        for json in ["text", "json", "jsonb"] {
            try await shop.database.execute(
                """
                SELECT push.enqueue('news', 'a', '{"message": "hi"}'::\(raw: json), after_device => 'ines',
                                    after_at_most => '5 min')
                """)
        }
        try await shop.database.execute(
            """
            SELECT push.enqueue_many('[{"hub": "news", "tag": "b", "content": {"message": "hi"}, "after": 2},
                {"hub": "news", "tag": "c", "content": {"message": "hi"}, "after_device": "ines", "after_at_most": "20 s"}]')
            """)
        try await shop.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content, after_device)
            VALUES ('news', '{00FC13AD}', 'apple', '{"aps": {"alert": "hi"}}', 'ines')
            """)
        try await shop.database.execute(
            """
            WITH first AS (INSERT INTO push.message (hub, tag, content) VALUES ('news', 'd', '{"message": "1"}') RETURNING id)
            INSERT INTO push.message (hub, tag, content, after) SELECT 'news', 'd', '{"message": "2"}'::json, id FROM first
            """)
        try await store.database.execute(
            #"COPY push.message (hub, tag, content, after_device) FROM PROGRAM 'printf "news\te\t{}\tines\n"'"#)
        #expect(
            try await store.test.texts(
                """
                SELECT concat_ws(' ', id - 1, w.after - 1, w.device, w.change = d.change, until - w.since, due_at - until,
                                 m.status, m.note)
                  FROM push.waiting w JOIN push.message_status m USING (id)
                       LEFT JOIN push.device d ON d.device = w.device
                 ORDER BY id
                """) == [
                    "1 ines t 00:05:00 00:00:05 waiting waits for 2 changes of device ines",
                    "2 ines t 00:05:00 00:00:05 waiting waits for 2 changes of device ines",
                    "3 ines t 00:05:00 00:00:05 waiting waits for 2 changes of device ines",
                    "4 1 00:01:00 00:00:05 waiting waits for message 2",
                    "5 ines t 00:00:20 00:00:05 waiting waits for 2 changes of device ines",
                    "6 ines t 00:01:00 00:00:05 waiting waits for 2 changes of device ines",
                    "8 7 00:01:00 00:00:05 waiting waits for message 8",
                    "9 ines t 00:01:00 00:00:05 waiting waits for 2 changes of device ines",
                ])
        #expect(try await store.lost() == [])
    }

    @Test func translationsThatWaitForTheSameAreOneContent() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(1)
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content, after) VALUES
                ('news', 'a', 'en', '{"message": "hi"}', 1), ('news', 'a', 'fr', '{"message": "salut"}', 1)
            """)
        #expect(try await store.count("translation") == 2)
        #expect(try await store.count("waiting") == 1)
        #expect(try await store.status(3) == "waiting")
        let said = try await refusal(
            of: """
                locale, after) VALUES ('news', 'a', '{"message": "hi"}', 'en', 1),
                                      ('news', 'a', '{"message": "salut"}', 'fr', NULL)
                """, in: store)
        #expect(said.contains("translations_have_a_fallback"), "\(said)")
    }

    @Test func aDuplicateWaitsForNothing() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(1)
        for _ in 1...2 {
            try await store.database.execute(
                """
                INSERT INTO push.message (hub, tag, content, after, dedupe_key)
                VALUES ('news', 'a', '{"message": "hi"}', 1, 'k'), ('news', 'a', '{"message": "hi"}', 1, 'k')
                """)
        }
        #expect(try await store.count("waiting") == 1)
        #expect(try await store.status(2) == "waiting")
        for id in 3...5 as ClosedRange<Int64> { #expect(try await store.status(id) == "duplicate") }
        #expect(try await store.lost() == [])
    }

    /// A day in the time zone of a session may have 23 hours: the pointer is found from every session.
    @Test func theEndOfAWaitIsTheSameInEveryTimeZone() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(1)
        for zone in ["Europe/Paris", "America/New_York", "UTC"] {
            try await store.database.withTransaction { connection in
                try await connection.execute("SELECT set_config('timezone', \(zone), true)")
                try await connection.execute(
                    """
                    INSERT INTO push.message (hub, tag, content, after, after_at_most, send_at)
                    SELECT 'news', 'a', '{"message": "hi"}'::json, 1, '1 day', '2027-01-01'::timestamptz + n * interval '6 hours'
                      FROM generate_series(1, 1400) n
                    """)
            }
        }
        #expect(
            try await store.test.number(
                """
                SELECT count(*) FROM push.due d WHERE d.due_at IS DISTINCT FROM push.due_at_of(d.id)
                """) == 0)
    }
}
