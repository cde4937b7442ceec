import Postgres
import PushModel
import Store
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct DeviceStatusTests {
    @Test func eachStateOfAChangeIsShown() async throws {
        let store = try await StoreFixture.make()
        let status: SQL = """
            SELECT concat_ws(' ', action, status, next_try <= now(), http, tracking_id, error, note, worker, changed_by,
                             since = at)
              FROM push.device_status
            """
        try await store.put("a")
        #expect(try await store.test.texts(status) == ["put waiting t postgres t"])
        var claimed = try await store.take()
        #expect(try await store.test.texts(status) == ["put applying t host/1 postgres t"])
        let id = claimed[0].changes[0].id
        try await store.devices.complete([
            .init(
                claim: claimed[0].claim,
                outcomes: [
                    DeviceOutcome(
                        id, .retrying, delay: 60, cost: 1,
                        answer: Answer(
                            verdict: .unavailable(after: nil, because: "busy"), status: 503, tracking: "t",
                            error: "busy"),
                        note: "later")
                ])
        ])
        #expect(try await store.test.texts(status) == ["put retrying f 503 t busy later postgres f"])
        try await store.database.execute("UPDATE push.installation_due SET due_at = now() - interval '1 s'")
        claimed = try await store.take()
        #expect(try await store.test.texts(status) == ["put applying t 503 t busy later host/1 postgres f"])
        // What comes meanwhile waits behind it.
        try await store.devices.complete([
            .init(
                claim: claimed[0].claim,
                outcomes: [DeviceOutcome(id, .applied, answer: Answer(verdict: .accepted, status: 200, tracking: "u"))])
        ])
        #expect(try await store.test.texts(status) == ["put applied 200 u postgres f"])
        for (final, word) in [(DeviceOutcome.Status.refused, "refused"), (.superseded, "superseded")] {
            try await store.patch("a")
            try await store.finish(try await store.take(), final)
            #expect(try await store.changes().last == "patch \(word)")
        }
        #expect(try await store.lostChanges() == [])
    }

    /// A person who registers devices sees what became of them, also of a hub that was removed.
    @Test func theLoginOfABackendSeesIt() async throws {
        let store = try await StoreFixture.make()
        let login = try await store.test.login(as: "push_register")
        try await login.database.execute("SELECT push.put_device('news', 'a', 'apns', '00FC13AD')")
        try await store.finish(try await store.take())
        try await store.database.execute("SELECT push.remove_hub('news')")
        #expect(
            try await login.texts(
                "SELECT concat_ws(' ', hub, device, action, status, changed_by) FROM push.device_status")
                == ["news a put applied \(store.test.name)_push_register"])
        await login.database.close()
    }

    @Test func aLostChangeIsNamed() async throws {
        let store = try await StoreFixture.make()
        let id = try await store.put("a")
        #expect(try await store.lostChanges() == [])
        try await store.database.execute("DELETE FROM push.installation_due")
        #expect(try await store.lostChanges() == ["\(id)"])
        try await store.database.execute("INSERT INTO push.installation_result (id, status) VALUES (\(id), 'retrying')")
        #expect(try await store.lostChanges() == ["\(id)"])
        try await store.database.execute("INSERT INTO push.installation_result (id, status) VALUES (\(id), 'refused')")
        #expect(try await store.lostChanges() == [])
    }

    @Test func changesAreFoundByWhatIsKnownOfThem() async throws {
        let store = try await StoreFixture.make()
        _ = try await Hubs(database: store.database).register(HubSettings(name: "other"))
        let old = try await store.put("a")
        try await store.finish(try await store.take(), .refused)
        try await store.ageDevices(3)
        let ids = [try await store.put("a"), try await store.put("b"), try await store.put("a", hub: "other")]
        func found(_ arguments: String) async throws -> [Int64] {
            try await store.test.texts("SELECT id::text FROM push.find_changes(\(raw: arguments))").compactMap(
                Int64.init)
        }
        #expect(try await found("") == [ids[2], ids[1], ids[0], old])
        #expect(try await found("at_most => 2") == [ids[2], ids[1]])
        #expect(try await found("before => \(ids[1])") == [ids[0], old])
        #expect(try await found("'news'") == [ids[1], ids[0], old])
        #expect(try await found("device => 'a'") == [ids[2], ids[0], old])
        #expect(try await found("'news', 'a'") == [ids[0], old])
        #expect(try await found("status => 'refused'") == [old])
        #expect(try await found("hub => 'other', status => 'refused'") == [])
        #expect(try await found("status => 'waiting', hub => 'news'") == [ids[1], ids[0]])
        #expect(try await found("since => now() - interval '1 day'") == [ids[2], ids[1], ids[0]])
        #expect(try await found("device => 'a', status => 'applied'") == [])
        let taken = try await store.take(1)
        #expect(try await found("status => 'applying'") == [ids[0]])
        try await store.finish(taken)
        #expect(try await found("status => 'applied'") == [ids[0]])
        for (arguments, says) in [("status => 'lost'", "lost"), ("hub => 'nws'", "nws")] {
            let error = await #expect(throws: DatabaseError.self) { try await found(arguments) }
            #expect(error?.message.contains(says) == true && error?.hint?.isEmpty == false)
        }
    }

    /// Numbers are drawn and rolled back, and the clock may be set back.
    @Test func theLastChangeBeforeAMomentIsFound() async throws {
        let store = try await StoreFixture.make()
        #expect(try await store.test.number("SELECT push_internal.last_change_before(now())") == 0)
        try await store.database.script(
            """
            INSERT INTO push.installation_change (id, hub, device, action, document, at) OVERRIDING SYSTEM VALUE
            SELECT g * 7, 1, 'a', 'drop', '{}', now() - interval '100 hours' + g * interval '1 hour'
              FROM generate_series(1, 90) g;
            """)
        for hours in [0.5, 1, 30.5, 90, 200] {
            #expect(
                try await store.test.texts(
                    """
                    SELECT (push_internal.last_change_before(m.at) BETWEEN c.last AND c.next - 1)::text
                      FROM (SELECT now() - interval '100 hours' + \(hours) * interval '1 hour' AS at) m,
                           LATERAL (SELECT coalesce(max(id) FILTER (WHERE c.at < m.at), 0) AS last,
                                           coalesce(min(id) FILTER (WHERE c.at >= m.at), 1000000) AS next
                                      FROM push.installation_change c) c
                    """) == ["true"], "\(hours)")
        }
    }
}
