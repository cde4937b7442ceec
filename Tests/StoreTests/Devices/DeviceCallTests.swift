import Foundation
import Postgres
import Store
import TestSupport
import Testing

/// `push.put_device` and `push.patch_device` take what drivers and psql send: a call that looks right is found, and what is
/// wrong is refused in our own words.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DeviceCallTests {
    private static let templates = #"{"news": {"body": "{}"}}"#

    @Test(arguments: [
        "'news', 'd', 'apns', '00'", "'news'::varchar, 'd'::varchar, 'apns'::varchar, '00'::varchar",
        "'news', 'd', 'apns', '00', ARRAY['World']", "'news', 'd', 'apns', '00', ARRAY['World'], '17'",
        "'news', 'd', 'apns', '00', '{World}'::text[], user_id => 17", "'news', 'd', 'apns', '00', tags => '{World}'",
        "'news', 'd', 'apns', '00', tags => '{World}'::varchar[]",
        "'news', 'd', 'apns', '00', tags => ARRAY['World']::name[]",
        "'news', 'd', 'apns', '00', tags => array_agg('World'::text)", "'news', 'd', 'apns', '00', tags => '{}'",
        "'news', 'd', 'apns', '00', tags => NULL, user_id => NULL, templates => NULL",
        "'news', 'd', 'apns', '00', NULL, NULL, NULL", "'news', 'd', 'apns', '00', '\(templates)'",
        "'news', 'd', 'apns', '00', '\(templates)', '17'", "'news', 'd', 'apns', '00', '\(templates)', 17, '{World}'",
        "'news', 'd', 'apns', '00', '\(templates)', NULL, ARRAY['World']",
        "'news', 'd', 'apns', '00', '\(templates)'::text", "'news', 'd', 'apns', '00', '\(templates)'::varchar, '17'",
        "'news', 'd', 'apns', '00', '\(templates)'::json, '17', '{World}'",
        "'news', 'd', 'apns', '00', '\(templates)'::jsonb, tags => '{World}'",
        "'news', 'd', 'apns', '00', jsonb_build_object('news', jsonb_build_object('body', '{}'))",
        "'news', 'd', 'apns', '00', templates => json_build_object('news', json_build_object('body', '{}'))",
        "hub => 'news', device => 'd', platform => 'apns', handle => '00'",
        "handle => '00', platform => 'apns', device => 'd', hub => 'news', user_id => '17', tags => '{World,user:17}'",
        """
        hub => 'news', device => 'd', platform => 'apns', handle => '00FC13AD', tags => '{World,user:17}',
        user_id => '17', templates => '\(templates)'
        """,
        """
        hub => 'news', device => 'd', platform => 'apns', handle => '00FC13AD', tags => '{World,user:17}',
        user_id => 17::bigint, templates => '\(templates)'::jsonb
        """,
        "'news', 'd', 'apns', '00', user_id => 17::smallint, templates => '\(templates)'::json",
        "'news', 'd', 'apns', '00', user_id => gen_random_uuid()",
        "'news', 'd', 'apns', '00', user_id => 'anna'::varchar, templates => '\(templates)'::varchar",
        "'news', gen_random_uuid()::text, 'apns', '00', user_id => 'anna'::name",
    ]) func aPutIsFound(_ arguments: String) async throws {
        try await StoreFixture.untouched.undone { connection in
            let id = try await connection.query("SELECT push.put_device(\(raw: arguments))") { rows in
                try rows.single { row in try row.int64() }
            }
            let kept = try await connection.query(
                "SELECT c.document FROM push.installation_change c JOIN push.installation_due d ON d.id = c.id"
            ) { rows in try rows.map { row in try row.string() } }
            #expect(id > 0 && kept.count == 1)
            #expect(kept[0].contains("\"body\"") == arguments.contains("body"))
            #expect(kept[0].contains("\"World\"") == arguments.contains("World"))
            #expect(kept[0].contains("\"user_id\" : \"17\"") == arguments.contains(/[ ']17\b/), "\(kept)")
        }
    }

    @Test(arguments: [
        "'news', 'd', add_tags => '{a}'", "'news', 'd', ARRAY['a']", "'news', 'd', ARRAY['a'], '{b}'",
        "'news', 'd', ARRAY['a'], ARRAY['b'], '00', '17'", "'news', 'd', remove_tags => ARRAY['a']::varchar[]",
        "hub => 'news', device => 'd', add_tags => '{a}', remove_tags => '{b}', handle => NULL",
        "'news', 'd', handle => '00'", "'news', 'd', user_id => '17'", "'news', 'd', user_id => 17",
        "'news', 'd', user_id => gen_random_uuid(), templates => NULL", "'news', 'd', '\(templates)'",
        "'news', 'd', templates => '\(templates)'", "'news', 'd', templates => '\(templates)'::json, add_tags => '{a}'",
        "'news', 'd', templates => '\(templates)'::jsonb, user_id => 17", "'news', 'd', '\(templates)'::varchar",
        #"'news', 'd', templates => '{"news": null}'"#, "'news', 'd', NULL, '{a}'",
        #"'news', 'd', '{"news": null}'::jsonb, ARRAY['a'], ARRAY['b'], '00', '17'"#,
        "'news'::varchar, 'd'::varchar, add_tags => NULL, remove_tags => '{a}'",
    ]) func aPatchIsFound(_ arguments: String) async throws {
        try await StoreFixture.untouched.undone { connection in
            let id = try await connection.query("SELECT push.patch_device(\(raw: arguments))") { rows in
                try rows.single { row in try row.int64() }
            }
            let due = try await connection.query("SELECT id FROM push.installation_due") { rows in
                try rows.map { row in try row.int64() }
            }
            #expect(due == [id])
        }
    }

    @Test(arguments: ["'news', 'd'", "'news'::varchar, 'd'::varchar", "device => 'd', hub => 'news'"])
    func aDropIsFound(_ arguments: String) async throws {
        let store = try await StoreFixture.make()
        #expect(try await store.test.number("SELECT push.drop_device(\(raw: arguments))") > 0)
        #expect(try await store.changes() == ["drop waiting"])
    }

    /// As drivers prepare it: parameters without a type, and with those that typed languages send.
    @Test(arguments: [
        "", "(text, text, text, text, text)", "(varchar, varchar, varchar, varchar, varchar)",
        "(text, text, text, text, json)", "(text, text, text, text, jsonb)",
    ]) func aPreparedPutIsFound(_ types: String) async throws {
        let store = try await StoreFixture.make()
        try await store.database.withConnection { connection in
            try await connection.execute(
                "PREPARE call\(raw: types) AS SELECT push.put_device($1, $2, $3, $4, templates => $5)")
            try await connection.execute("EXECUTE call('news', 'd', 'apns', '00', '\(raw: Self.templates)')")
        }
        #expect(try await store.count("installation_change") == 1)
    }

    @Test(arguments: ["", "(text, text, text, text, text[], text)", "(text, text, text, text, varchar[], bigint)"])
    func aPreparedPutWithTagsIsFound(_ types: String) async throws {
        let store = try await StoreFixture.make()
        try await store.database.withConnection { connection in
            try await connection.execute(
                "PREPARE call\(raw: types) AS SELECT push.put_device($1, $2, $3, $4, tags => $5, user_id => $6)")
            try await connection.execute("EXECUTE call('news', 'd', 'apns', '00', '{World}', '17')")
        }
        #expect(try await store.changes() == ["put waiting"])
    }

    /// Tags in the place of templates, and the order of the documents' example: the hint says what is meant.
    @Test(arguments: [
        "'news', 'd', 'apns', '00', '{World}'", "'news', 'd', 'apns', '00', '{World,user:17}', '17', '{}'",
    ])
    func tagsInTheFifthPlaceAreExplained(_ arguments: String) async throws {
        let store = try await StoreFixture.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.put_device(\(raw: arguments))")
        }
        #expect(error?.message.contains("templates is not JSON") == true)
        #expect(error?.hint?.contains("tags => '{World}'") == true)
    }

    /// Each argument as NULL, of which some mean the default: a refusal is ours, with a hint.
    @Test(arguments: ["text", "json", "jsonb"]) func everyNullHasAnAnswer(_ type: String) async throws {
        let store = try await StoreFixture.make()
        let put: [(name: String, value: String)] = [
            ("hub", "'news'"), ("device", "'d'"), ("platform", "'apns'"), ("handle", "'00'"), ("tags", "'{a}'"),
            ("user_id", "'17'"), ("templates", "'\(Self.templates)'::\(type)"),
        ]
        let patch = [put[0], put[1], put[3], put[5], put[6], ("add_tags", "'{a}'"), ("remove_tags", "'{b}'")]
        for (function, arguments, needed) in [
            ("put_device", put, ["hub", "device", "platform", "handle"]), ("patch_device", patch, ["hub", "device"]),
            ("drop_device", Array(put[..<2]), ["hub", "device"]),
        ] {
            for subset in 0..<(1 << arguments.count) {
                let nulls = arguments.indices.filter { subset >> $0 & 1 == 1 }.map { arguments[$0].name }
                let list = arguments.map { name, value in
                    guard nulls.contains(name) else { return "\(name) => \(value)" }
                    return "\(name) => NULL" + (name == "templates" ? "::\(type)" : "")
                }
                do throws(DatabaseError) {
                    try await store.database.script("SELECT push.\(function)(\(list.joined(separator: ", ")))")
                    #expect(needed.filter(nulls.contains) == [], "\(list)")
                } catch {
                    #expect(["23514", "23503"].contains(error.sqlState), "\(error)")
                    #expect(error.hint?.isEmpty == false, "\(error)")
                    #expect(!needed.filter(nulls.contains).isEmpty || function == "patch_device", "\(list): \(error)")
                }
            }
        }
    }

    /// What no function takes, and how to write it: the table of docs/enqueue.md has the state and the cast.
    @Test(arguments: [
        ("'news', gen_random_uuid(), 'apns', '00'", "'news', gen_random_uuid()::text, 'apns', '00'"),
        ("'news', 17, 'apns', '00'", "'news', 17::text, 'apns', '00'"),
        ("'news', 'd', 'apns', '00', tags => '{World}'::text", "'news', 'd', 'apns', '00', tags => '{World}'::text[]"),
    ]) func aCallThatIsNotFoundIsInTheDocuments(_ arguments: String, _ instead: String) async throws {
        let store = try await StoreFixture.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.put_device(\(raw: arguments))")
        }
        let state = try #require(error?.sqlState)
        let page = try String(
            contentsOf: URL(filePath: #filePath).appending(path: "../../../../docs/enqueue.md").standardized,
            encoding: .utf8)
        #expect(page.split(separator: "\n").contains { $0.hasPrefix("| ") && $0.contains("`\(state)`") })
        try await store.database.execute("SELECT push.put_device(\(raw: instead))")
        #expect(try await store.count("installation_change") == 1)
    }

    /// A refusal of a hub names the call, and not the column of a message.
    @Test(arguments: [
        "put_device('nws', 'd', 'apns', '00')", "patch_device('nws', 'd', add_tags => '{a}')",
        "drop_device('nws', 'd')",
    ])
    func anUnknownHubIsRefused(_ call: String) async throws {
        let store = try await StoreFixture.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.\(raw: call)")
        }
        #expect(error?.sqlState == "23503" && error?.constraint == "hub_is_registered")
        #expect(error?.message == "push.\(call.prefix { $0 != "(" }): hub \"nws\" is not registered")
        #expect(error?.hint?.contains("Registered: news.") == true)
        #expect(try await store.count("device") == 0)
    }

    @Test func aRemovedHubIsRefused() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT push.remove_hub('news')")
        let error = await #expect(throws: DatabaseError.self) { try await store.put("phone") }
        #expect(error?.message.contains("push.put_device: hub \"news\" was removed by ") == true)
        #expect(error?.hint?.isEmpty == false)
    }

    /// Refused again and again, a call leaves nothing behind.
    @Test func aRefusedCallWritesNothing() async throws {
        let store = try await StoreFixture.make()
        for _ in 1...3 {
            await #expect(throws: DatabaseError.self) { try await store.put("phone", tags: ["a b"]) }
            await #expect(throws: DatabaseError.self) { try await store.patch("phone", add: []) }
        }
        for table in ["device", "installation_change", "installation_due", "installation_result"] {
            #expect(try await store.count(table) == 0, "\(table)")
        }
    }

    /// One list of arguments, whatever its elements are: what is stored is what was meant.
    @Test func whatIsKeptIsWhatWasMeant() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            #"""
            SELECT push.put_device('news', 'a', 'APNS', '00fc', tags => '[5:6]={World,user:17}', user_id => 17,
                                   templates => '{"n": {"body": "{\"aps\": {}}"}}'::jsonb);
            SELECT push.patch_device('news', 'a', remove_tags => '{World}', user_id => 'anna');
            SELECT push.drop_device('news', 'a');
            """#)
        #expect(
            try await store.test.texts(
                "SELECT device || ' ' || action || ' ' || document FROM push.installation_change ORDER BY id") == [
                    #"a put {"platform" : "apns", "handle" : "00fc", "user_id" : "17", "tags" : ["World","user:17"], "#
                        + #""templates" : {"n": {"body": "{\"aps\": {}}"}}}"#,
                    #"a patch {"handle" : null, "user_id" : "anna", "add_tags" : [], "remove_tags" : ["World"], "#
                        + #""templates" : null}"#,
                    "a drop {}",
                ])
    }
}
