import Foundation
import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Every way to enqueue takes exactly what the worker can send: what is taken never ends as `not_sendable`, and what is
/// refused could not be sent.
@Suite(.serialized, .timeLimit(.minutes(10))) struct OddRowTests {
    /// Puts a content in by one of the entries. Returns the rule that it breaks, or an empty text.
    private static let put = """
        CREATE SCHEMA odd;
        CREATE FUNCTION odd.put(entry text, one json) RETURNS text LANGUAGE plpgsql AS $$
        DECLARE
            path constant text := current_setting('data_directory') || '/odd_rows';
            rows json := (
                SELECT json_agg(json_build_object('hub', one ->> 'hub', 'tag', one ->> 'tag', 'format', one ->> 'format',
                                                  'locale', r ->> 'locale', 'content', (r ->> 'content')::json))
                  FROM json_array_elements(one -> 'rows') r);
            rule text;
            code text;
        BEGIN
            CASE entry
                WHEN 'INSERT' THEN
                    INSERT INTO push.message (hub, tag, format, locale, content)
                    SELECT r ->> 'hub', r ->> 'tag', r ->> 'format', r ->> 'locale', r -> 'content'
                      FROM json_array_elements(rows) r;
                WHEN 'COPY' THEN
                    EXECUTE format($copy$
                        COPY (SELECT r ->> 'hub', r ->> 'tag', r ->> 'format', r ->> 'locale', r -> 'content'
                                FROM json_array_elements(%L) r) TO %L $copy$, rows, path);
                    EXECUTE format('COPY push.message (hub, tag, format, locale, content) FROM %L', path);
                WHEN 'enqueue' THEN
                    PERFORM push.enqueue(
                        one ->> 'hub', one ->> 'tag', format => one ->> 'format',
                        content => (SELECT r -> 'content' FROM json_array_elements(rows) r WHERE r ->> 'locale' IS NULL),
                        translations => (
                            SELECT json_object_agg(r ->> 'locale', r -> 'content')
                              FROM json_array_elements(rows) r WHERE r ->> 'locale' IS NOT NULL));
                WHEN 'enqueue_many' THEN
                    PERFORM push.enqueue_many(rows);
            END CASE;
            RETURN '';
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS rule = CONSTRAINT_NAME, code = RETURNED_SQLSTATE;
            RETURN coalesce(nullif(rule, ''), code || ' ' || SQLERRM);
        END $$;
        """

    @Test(arguments: ["INSERT", "COPY", "enqueue", "enqueue_many"])
    func anEntryTakesWhatTheWorkerCanSend(_ entry: String) async throws {
        let store = try await StoreFixture.make(try #require(OddContent.hubs["news"]))
        for (name, hub) in OddContent.hubs where name != "news" {
            _ = try await Hubs(database: store.database).register(hub)
        }
        try await store.database.script(Self.put)
        var random = SeededRandom(seed: UInt64(entry.utf8.count))
        var contents = OddContent.locales.flatMap { locale in
            OddContent.hubs.keys.sorted().map { hub in
                OddContent(
                    hub: hub,
                    rows: [
                        .init(locale: "en", content: #"{"m": "x"}"#), .init(locale: locale, content: #"{"m": "y"}"#),
                    ])
            }
        }
        contents += (0..<500).map { _ in OddContent.random(&random) }
        // push.enqueue has one place for a row without locale.
        if entry == "enqueue" { contents.removeAll { $0.rows.count { $0.locale == nil } > 1 } }
        let list = String(decoding: try JSONEncoder().encode(contents), as: UTF8.self)
        let rules = try await store.test.texts(
            """
            SELECT odd.put(\(entry), c.one)
              FROM json_array_elements(\(list)::json) WITH ORDINALITY c(one, n) ORDER BY c.n
            """)
        #expect(rules.count == contents.count)
        for (content, rule) in zip(contents, rules) {
            // The rows could be sent, and nothing says that they are one content.
            if rule == "fallback_is_given_once" { continue }
            // A content that says nothing shows nothing in any language.
            if rule == "translations_have_a_fallback", content.rows.allSatisfy({ $0.content == "{}" }) { continue }
            let refused = content.refusals.map(\.text)
            if refused.contains(where: OddContent.isFoundLater) { continue }
            #expect(refused.isEmpty == rule.isEmpty, "\(content): \(entry) says \(rule), the worker \(refused)")
        }
        #expect(rules.count { $0.isEmpty } > 100 && rules.count { !$0.isEmpty } > 100)
        #expect(try await notSendable(store) == [])
        await store.database.close()
    }

    /// Claims and plans everything, as a worker does. Returns what it would refuse though an entry has taken it.
    private func notSendable(_ store: StoreFixture) async throws -> [String] {
        let hubs = try await store.database.query("SELECT id, name FROM push.hub ORDER BY id") { rows in
            try rows.map { row in (try row.int32(), try row.string()) }
        }
        var found: [String] = []
        var planned = 0
        for (id, name) in hubs {
            while let claim = try await store.queue.claim(hub: id, priority: .normal, after: .start, limit: 1000) {
                let plan = Plan(claim.messages, for: try #require(OddContent.hubs[name]), now: 0)
                found += plan.refusals.filter { !OddContent.isFoundLater($0.text) }
                    .map { "\(name) \($0.message): \($0.text)" }
                planned += claim.messages.count
            }
        }
        #expect(planned > 150)
        return found
    }
}
