import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What psql and drivers show of a refusal: the message, a hint, and where it was raised, not our statements.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RefusalLengthTests {
    /// - Parameter lines: of CONTEXT.
    @Test(arguments: [
        ("INSERT INTO push.message (hub, tag, content) VALUES ('nws', 'a', '{}')", 2),
        ("INSERT INTO push.message (hub, tag, content) VALUES ('news', '(a', '{}')", 1),
        (#"INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{"badge": 3}')"#, 1),
        ("INSERT INTO push.message (hub, tag, locale, content) VALUES ('news', 'a', 'fr', '{}')", 1),
        ("INSERT INTO push.message (hub, broadcast, content) VALUES ('news', true, '{}')", 1),
        ("INSERT INTO push.message (hub, tag, priority, content) VALUES ('news', 'a', 7, '{}')", 1),
        (#"INSERT INTO push.message (hub, tag, format, content) VALUES ('news', 'a', 'apple', '{"aps": 1}')"#, 1),
        ("UPDATE push.message SET tag = 'b'", 1), ("SELECT push.enqueue('news', '(a', '{}')", 3),
        (#"SELECT push.enqueue_many('[{"hub": "news", "tg": "a", "content": {}}]'::json)"#, 1),
        (#"SELECT push.enqueue_many('[{"hub": "news", "tag": "(a", "content": {}}]'::json)"#, 2),
        (#"SELECT push.enqueue_many('[{"hub": "news", "tag": "(a", "content": {}}]')"#, 3),
        (#"SELECT push.enqueue_many('[{"hub": "nws", "tag": "a", "content": {}}]'::json)"#, 2),
        ("SELECT push.enqueue('news', '(a', '{}', dedupe_key => 'k')", 4),
        (#"SELECT push.enqueue('news', '(a', translations => '{"en": {}}')"#, 4),
        ("SELECT push.enqueue('nws', 'a', '{}', dedupe_key => 'k')", 4),
        ("SELECT push.enqueue('news', '(a', '{}'::jsonb, dedupe_key => 'k')", 5),
    ]) func aRefusalIsShort(_ statement: String, _ lines: Int) async throws {
        let store = try await StoreFixture.untouched
        let shown = try await Psql(conninfo: store.test.conninfo).run(statement)
            .split(separator: "\n").map(String.init)
        let context = shown.drop { !$0.hasPrefix("CONTEXT:") }
        #expect(shown.contains { $0.contains("ERROR:") } && shown.contains { $0.hasPrefix("HINT:") }, "\(shown)")
        #expect(context.count == lines, "\(shown)")
        // The longest line is the signature of push.enqueue, which PostgreSQL writes out.
        for line in context where !line.contains("function push.enqueue(text") {
            #expect(line.utf8.count <= 120, "\(line)")
        }
    }

    @Test(arguments: [
        ("DELETE FROM push.message", "push.erase"), ("DELETE FROM push.message WHERE false", "push.purge"),
        ("TRUNCATE push.message", "push.erase"),
    ]) func aMessageIsNeverDeleted(_ statement: String, _ says: String) async throws {
        let store = try await StoreFixture.make()
        try await store.insert()
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("\(raw: statement)")
        }
        #expect(error?.sqlState == "0A000")
        #expect(error?.hint?.contains(says) == true, "\(error?.hint ?? "")")
        #expect(try await store.count("message") == 1)
    }
}
