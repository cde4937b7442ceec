import Foundation
import Postgres
import Store
import TestSupport
import Testing

/// An empty text is not a value: every column and argument refuses it, or takes it as null, and what is only blanks likewise. The
/// columns and functions are those that the database has, so that a new one is tried, too.
@Suite(.timeLimit(.minutes(10))) struct EmptyTextTests {
    private static let empty = ["", "   ", "\t\n"]

    /// A database in which every function below can be called.
    private static func make() async throws -> StoreFixture {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            SELECT push.make_list('l');
            INSERT INTO push.list_member (list, key, tag) SELECT l.id, n::text, 'u:' || n FROM push.list l, generate_series(1, 3) n;
            SELECT push.create_campaign('spring',
                '{"hubs": ["news"], "audience": {"list": "l"}, "content": {"": {"title": "x"}}, "schedule": {"cron": "0 8 * * *", "zone": "UTC"}}');
            SELECT push.start_run('spring', 'a');
            SELECT push.create_campaign('idle', '{"hubs": ["news"], "audience": {"list": "l"}, "content": {"": {"title": "x"}}}');
            SELECT push.put_device('news', 'd1', 'fcmv1', 'abc:def');
            INSERT INTO push.message (hub, tag, content) VALUES ('news', 't', '{"m": "x"}');
            SELECT push.suppress('tag', 'u:9', 'asked');
            """)
        return store
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

    /// Runs a statement that is undone; nil: it was taken.
    private static func refusal(of sql: String, in store: StoreFixture) async throws -> DatabaseError? {
        do {
            try await store.undone { connection in try await connection.script(sql) }
            return nil
        } catch let error as DatabaseError {
            return error
        }
    }

    @Test func everyTextColumnOfAMessageRefusesIt() async throws {
        let store = try await Self.make()
        let columns = try await store.test.texts(
            """
            SELECT a.attname FROM pg_attribute a
             WHERE a.attrelid = 'push.message'::regclass AND a.atttypid = 'text'::regtype
               AND has_column_privilege('push_enqueue', a.attrelid, a.attnum, 'INSERT')
            """)
        #expect(columns.count > 10)
        let usual = ["hub": "'news'", "tag": "'t'", "content": #"'{"m": "x"}'"#]
        for column in columns {
            for text in Self.empty + [String(repeating: "x", count: 1_000_000), "no such \u{1}"] {
                let values = usual.merging([column: Self.quoted(text)]) { $1 }.sorted { $0.key < $1.key }
                let names = values.map(\.key).joined(separator: ", ")
                let list = values.map(\.value).joined(separator: ", ")
                let members = values.map { "'\($0.key)', \($0.value)\($0.key == "content" ? "::json" : "::text")" }
                for sql in [
                    "INSERT INTO push.message (\(names)) VALUES (\(list))",
                    "SELECT push.enqueue(\(values.map { "\($0.key) => \($0.value)" }.joined(separator: ", ")))",
                    "SELECT push.enqueue_many(json_build_array(json_build_object(\(members.joined(separator: ", ")))))",
                ] {
                    let error = try await Self.refusal(of: sql, in: store)
                    let isName = ["campaign", "run", "tenant", "content_key", "dedupe_key"].contains(column)
                    if text.hasPrefix("no such"), isName { continue }  // a name may hold anything
                    #expect(error?.column == column, "\(sql.prefix(150)): \(String(describing: error).prefix(200))")
                    #expect((error?.message.count ?? 0) < 400 && error?.hint != nil, "\(sql.prefix(80))")
                }
            }
        }
        #expect(try await store.lost() == [])
    }

    /// What each argument is elsewhere: a call that is taken, of which one argument becomes empty.
    private static let usual: [String: String] = [
        "add_hub.name": "'sport'", "archive_campaign.name": "'idle'", "unarchive_campaign.name": "'idle'",
        "make_list.name": "'m'", "replace_list.name": "'l'", "drop_list.name": "'l'", "run_campaign.name": "'quick'",
        "run_campaign.content": #"'{"": {"title": "x"}}'"#, "suppress_many.what": "'{tag}'",
        "suppress_many.value": "'{u:5}'", "suppress_many.reason": "'{x}'", "suppress_many.until": "'{NULL}'",
        "patch_device.add_tags": "'{a}'", "unsuppress.value": "'u:9'", "keep_reach.expression": "'a || b'",
        "keep_reach.devices": "1", "keep_reach.of": "1", "keep_reach.is_whole": "true",
        "learn_templates.platforms": "'{apns}'", "learn_templates.names": "'{n}'",
        "learn_templates.bodies": #"ARRAY['{"aps": {"alert": "$(m)"}}']"#, "learn_templates.headers": "'{NULL}'",
        "learn_templates.expiries": "'{NULL}'", "learn_templates.devices": "'{1}'", "learn_templates.of": "1",
        "dedupe_key": "'k'", "hub": "'news'", "tag": "'t'", "content": #"'{"m": "x"}'"#, "device": "'d1'",
        "platform": "'fcmv1'",
        "handle": "'abc:def'", "campaign": "'spring'", "key": "'a'", "name": "'spring'", "what": "'tag'",
        "value": "'u:5'", "decision": "'accepted'", "rate": "5", "ids": "'{1}'", "revision": "1", "tags": "'{u:1}'",
        "times": "ARRAY[now() - interval '1 day']", "fallback": "'en'", "run": "'a'",
        "spec": #"'{"hubs": ["news"], "audience": {"list": "l"}, "content": {"": {"title": "x"}}}'"#,
        "schedule": #"'{"cron": "0 8 * * *", "zone": "UTC"}'"#,
        "messages": #"'[{"hub": "news", "tag": "t", "content": {"m": "x"}}]'"#,
        "list": #"'[{"hub": "news", "tag": "t", "content": {"m": "x"}}]'"#,
    ]
    /// Calls that need more than one argument says.
    private static let left = ["approve", "remove_hub", "rotate_hub"]
    /// Arguments where an empty text says the same as null, and is not kept.
    private static let free: Set<String> = [
        "reason", "note", "after", "remove", "campaign_remarks.name", "properties",
    ]

    private struct Argument: Decodable {
        let name: String
        let type: String
        let isOptional: Bool
        var isText: Bool { ["text", "text[]", "anycompatible"].contains(type) }
        var sqlType: String { type == "anycompatible" ? "text" : type }
    }

    private static func call(_ function: String, _ arguments: [Argument], _ changed: [String: String] = [:]) -> String {
        let given = arguments.compactMap { argument -> String? in
            let own = usual["\(function).\(argument.name)"]
            let mayBeLeft = argument.isOptional && argument.name != "tag" && argument.name != "content"
            let value = changed[argument.name] ?? own ?? (mayBeLeft ? nil : usual[argument.name] ?? "NULL")
            return value.map { "\(argument.name) => \($0)::\(argument.sqlType)" }
        }
        return "SELECT push.\(function)(\(given.joined(separator: ", ")))"
    }

    @Test func everyArgumentRefusesItOrKeepsNothingOfIt() async throws {
        let store = try await Self.make()
        let functions = try await store.database.query(
            """
            SELECT p.proname, (SELECT json_agg(json_build_object(
                       'name', p.proargnames[i], 'type', format_type(p.proargtypes[i - 1], NULL),
                       'isOptional', i > p.pronargs - p.pronargdefaults) ORDER BY i) FROM generate_series(1, p.pronargs) i)
              FROM pg_proc p
             WHERE p.pronamespace = 'push'::regnamespace AND p.provolatile = 'v' AND p.pronargs > 0
               AND p.proname IN (SELECT f.function FROM push.function_rights() f WHERE f.role <> 'push_worker')
             ORDER BY 1
            """
        ) { rows in
            try rows.map { row in
                (try row.string(), try JSONDecoder().decode([Argument].self, from: Data(try row.string().utf8)))
            }
        }
        // Of all tables, the columns with a text that is only blanks.
        let blanks = try await store.test.texts(
            """
            SELECT format('SELECT %L WHERE EXISTS (SELECT FROM push.%I WHERE %s)', c.relname || '.' || a.attname, c.relname,
                          CASE a.atttypid WHEN 'text'::regtype THEN format('%I ~ ''^\\s*$''', a.attname)
                               ELSE format('EXISTS (SELECT FROM unnest(%I) u(x) WHERE x ~ ''^\\s*$'')', a.attname) END)
              FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
             WHERE c.relnamespace = 'push'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
               AND a.attnum > 0 AND a.atttypid IN ('text'::regtype, 'text[]'::regtype)
               AND c.relname NOT IN ('payload_rule', 'payload_format', 'hub_kind', 'partitioned')  -- rules of ours, not what somebody gave
            """
        ).joined(separator: " UNION ALL ")
        #expect(try await store.test.texts("\(raw: blanks)") == [])
        var tried = 0
        for (function, arguments) in functions where !Self.left.contains(function) {
            guard arguments.contains(where: \.isText) else { continue }
            let usual = Self.call(function, arguments)
            #expect(try await Self.refusal(of: usual, in: store) == nil, "\(usual)")
            for argument in arguments where argument.isText {
                for text in Self.empty {
                    let value = argument.type == "text[]" ? "ARRAY[\(Self.quoted(text))]" : Self.quoted(text)
                    let sql = Self.call(function, arguments, [argument.name: value])
                    let kept = "DO $do$ BEGIN IF EXISTS (\(blanks)) THEN RAISE EXCEPTION 'it is kept'; END IF; END $do$"
                    let error = try await Self.refusal(of: "\(sql); \(kept)", in: store)
                    let isFree = Self.free.contains(argument.name) || Self.free.contains("\(function).\(argument.name)")
                    #expect(isFree || error != nil, "\(sql) is taken")
                    #expect(error?.message != "it is kept", "\(sql) keeps it")
                    tried += 1
                }
            }
        }
        #expect(tried > 300)
    }
}
