import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Messages in every state, and damage by hand to each: `push.lost` names the message, `push.check` what it sees without reading
/// messages.
@Suite(.timeLimit(.minutes(10))) struct LostByDamageTests {
    /// Where a message is: what can be damaged.
    enum Place: CaseIterable, Sendable { case pointer, claim, result }

    /// The message of each state, and its place.
    private struct State {
        let name: String
        let place: Place
        let id: Int64
        /// The pointer that stands for it.
        var lead: Int64 { leadOrNil ?? id }
        var leadOrNil: Int64?
    }

    struct Damage: Sendable {
        let places: [Place]
        /// SQL with `$id`, the message, and `$lead`, its pointer.
        let sql: String
        /// The beginning of what `push.lost` says.
        let problem: String
        var isSeenByCheck = false
        /// States to which it would not be damage, or other damage.
        var except: [String] = []
    }

    private static let damages = [
        Damage(
            places: [.pointer], sql: "UPDATE push.due SET hub = 0 WHERE id = $lead",
            problem: "waits for hub 0, which is not in push.hub", isSeenByCheck: true),
        Damage(
            places: [.pointer],
            sql: "UPDATE push.due SET hub = (SELECT id FROM push.hub WHERE name = 'sport') WHERE id = $lead",
            problem: "waits for hub sport, which is not its own"),
        Damage(
            places: [.pointer], sql: "UPDATE push.due SET priority = 7 WHERE id = $lead",
            problem: "waits with priority 7, which no worker claims", isSeenByCheck: true),
        Damage(
            places: [.pointer], sql: "UPDATE push.due SET kind = 'x' WHERE id = $lead",
            problem: "waits as kind \"x\", which no worker knows", except: ["keyed", "translation"]),
        Damage(
            places: [.pointer], sql: "UPDATE push.due SET kind = 'k' WHERE id = $lead", problem: "is nowhere",
            except: ["keyed"]),
        Damage(
            places: [.pointer], sql: "UPDATE push.due SET due_at = 'infinity' WHERE id = $lead",
            problem: "waits for a time that does not come"),
        Damage(
            places: [.pointer], sql: "UPDATE push.due SET due_at = push.paused_until() WHERE id = $lead",
            problem: "is parked, and belongs to no run", except: ["parked"]),
        Damage(
            places: [.pointer], sql: "UPDATE push.run SET state = 'running', state_since = now() - interval '1 hour'",
            problem: "is parked, and its run is running",
            except: ["due", "scheduled", "retrying", "translation", "lead", "keyed"]),
        Damage(places: [.pointer], sql: "DELETE FROM push.due WHERE id = $lead", problem: "is nowhere"),
        Damage(
            places: [.pointer], sql: "INSERT INTO push.due SELECT * FROM push.due WHERE id = $lead",
            problem: "is pending or held more than once"),
        Damage(
            places: [.pointer, .claim],
            sql: "INSERT INTO push.result (id, status, reason) VALUES ($id, 'accepted', 'taken_by_hub')",
            problem: "has a final result and is still pending or held", except: ["keyed"]),
        Damage(
            places: [.claim], sql: "UPDATE push.claim SET hub = 99 WHERE $id = ANY (ids)",
            problem: "is held for hub 99, which is not in push.hub", isSeenByCheck: true),
        Damage(
            places: [.claim], sql: "UPDATE push.claim SET attempts = '{}' WHERE $id = ANY (ids)",
            problem: "is held by a claim that does not count its attempts"),
        Damage(
            places: [.claim], sql: "UPDATE push.claim SET ids = array_remove(ids, $id) WHERE $id = ANY (ids)",
            problem: "is nowhere"),
        Damage(
            places: [.claim],
            sql:
                "INSERT INTO push.due (due_at, id, hub, priority) SELECT now(), $id, id, 1 FROM push.hub WHERE name = 'news'",
            problem: "is pending or held more than once"),
        Damage(places: [.result], sql: "DELETE FROM push.result WHERE id = $id", problem: "is nowhere"),
        Damage(
            places: [.result], sql: "DELETE FROM push.message WHERE id = $id",
            problem: "has a result, and no row in push.message"),
        Damage(
            places: [.pointer, .claim], sql: "DELETE FROM push.message WHERE id = $id",
            problem: "is pending or held, and has no row in push.message", except: ["retrying"]),
    ]

    private static func states() async throws -> (StoreFixture, [State]) {
        let store = try await StoreFixture.make()
        var sport = TestWorker.news
        sport.name = "sport"
        _ = try await Hubs(database: store.database).register(sport)
        let ids = try await store.insert(5)
        func taken(_ answer: (Int64) -> Completion.Answered) async throws -> Int64 {
            let claim = try #require(try await store.claim(1))
            let id = try #require(claim.messages.first?.id)
            try await store.intend([[id]], under: claim.id)
            try await store.complete([answer(claim.post(1))], finished: [claim.id])
            return id
        }
        var states = [
            State(name: "accepted", place: .result, id: try await taken { .accepted($0) }),
            State(name: "rejected", place: .result, id: try await taken { .rejected($0) }),
            State(name: "retrying", place: .pointer, id: try await taken { .retrying($0, after: 3_600) }),
        ]
        let claimed = try #require(try await store.claim(2))
        try await store.intend([[ids[4]]], under: claimed.id)
        states += [
            State(name: "claimed", place: .claim, id: ids[3]), State(name: "posted", place: .claim, id: ids[4]),
            State(name: "due", place: .pointer, id: try await store.insert()[0]),
        ]
        let scheduled = try await store.test.number(
            """
            INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{"m": "x"}', now() + interval '1 day') RETURNING id
            """)
        let together = try await store.translate(["en", "fr"])
        states += [
            State(name: "scheduled", place: .pointer, id: scheduled),
            State(name: "lead", place: .pointer, id: together[0]),
            State(name: "translation", place: .pointer, id: together[1], leadOrNil: together[0]),
            State(name: "keyed", place: .pointer, id: try await store.keyed("en")),
            State(name: "parked", place: .pointer, id: try await parked(store)),
        ]
        return (store, states)
    }

    /// A message of a run that is paused.
    private static func parked(_ store: StoreFixture) async throws -> Int64 {
        try await store.database.script(
            """
            SELECT push.make_list('l');
            INSERT INTO push.list_member (list, key, tag) SELECT l.id, '1', 'u:1' FROM push.list l;
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"list": "l"}, "content": {"": {"title": "x"}}}');
            SELECT push.start_run('spring', 'a');
            """)
        _ = try await Runs(database: store.database).expand(
            try await store.test.number("SELECT max(id) FROM push.stream"), upTo: 30)
        try await store.database.script("SELECT push.pause_run('spring', 'a')")
        return try await store.test.number("SELECT id FROM push.message WHERE stream IS NOT NULL")
    }

    @Test func everyDamageToEveryStateIsNamed() async throws {
        let (store, states) = try await Self.states()
        #expect(try await store.lost() == [])
        var tried = 0
        for state in states {
            for damage in Self.damages where damage.places.contains(state.place) && !damage.except.contains(state.name)
            {
                let (lost, check) = try await Self.said(of: damage, to: state, in: store)
                #expect(
                    lost.contains { $0.hasPrefix("\(state.id): \(damage.problem)") },
                    "\(state.name) after \(damage.sql): \(lost)")
                #expect(
                    check.contains { $0.contains("push.lost") } == damage.isSeenByCheck,
                    "\(state.name) after \(damage.sql): \(check)")
                tried += 1
            }
        }
        #expect(tried > 80)
        #expect(try await store.lost() == [])
    }

    /// What both say of it; afterwards nothing is damaged.
    private static func said(
        of damage: Damage, to state: State, in store: StoreFixture
    ) async throws -> (lost: [String], check: [String]) {
        let sql = damage.sql.replacing("$id", with: "\(state.id)").replacing("$lead", with: "\(state.lead)")
        var said: (lost: [String], check: [String]) = ([], [])
        try await store.undone { connection in
            // Past the triggers that refuse it.
            try await connection.execute("SET LOCAL session_replication_role = replica")
            try await connection.execute("\(raw: sql)")
            said.lost = try await connection.query("SELECT id || ': ' || problem FROM push.lost") { rows in
                try rows.map { row in try row.string() }
            }
            said.check = try await connection.query("SELECT unnest(findings) FROM push.check()") { rows in
                try rows.map { row in try row.string() }
            }
        }
        return said
    }
}
