import Postgres
import Store
import TestSupport
import Testing

/// What `push.create_campaign` and `push.start_run` refuse, and in which words.
@Suite struct SpecTests {
    /// For tests that leave nothing in it.
    private static let untouched = Task { try await make() }

    private static func make() async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        return test
    }

    private static func create(_ spec: String, in test: TestDatabase, as name: String = "spring") async throws {
        _ = try await CampaignStore(database: test.database).create(name, spec: spec, draft: false)
    }

    @Test(arguments: [
        (#"[]"#, "The spec is not a JSON object", "docs/campaigns.md"),
        (#"{"hubs": ["news"], "audiense": {}}"#, "audiense is not known", "Do you mean audience?"),
        (#"{"hubs": []}"#, "hubs is not a list of hubs", "\"news\""),
        (
            #"{"hubs": ["nws"], "audience": {"tags": ["A"]}, "content": {"": {"a": "b"}}}"#, "there is no such hub",
            "news"
        ),
        (#"{"hubs": ["news"], "content": {"": {"a": "b"}}}"#, "audience is missing", "tags"),
        (#"{"hubs": ["news"], "audience": {"tags": ["A"]}}"#, "content is missing", "en"),
        (#"{"hubs": ["news"], "audience": {"tags": ["a b"]}, "content": {"": {"a": "b"}}}"#, "not a tag", "expression"),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"], "list": "x"}, "content": {"": {"a": "b"}}}"#,
            "more or less than one", "tags"
        ),
        (
            #"{"hubs": ["news"], "audience": {"expression": "a &&"}, "content": {"": {"a": "b"}}}"#,
            "audience.expression", ""
        ),
        (
            #"{"hubs": ["news"], "audience": {"broadcast": true}, "content": {"": {"a": "b"}}}"#,
            "not allowed on hub news", "allowBroadcast"
        ),
        (
            #"{"hubs": ["news"], "audience": {"list": "beta"}, "content": {"": {"a": "b"}}}"#, "there is no such list",
            "load"
        ),
        (
            #"{"hubs": ["news"], "audience": {"view": "pg_authid"}, "content": {"": {"a": "b"}}}"#,
            "there is no such view", "schema"
        ),
        (#"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"fr": {"a": "b"}}}"#, "fallback language", "en"),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"sv": {"a": "b"}}}"#, "content.\"sv\"",
            "languages"
        ),
        (#"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": 5}}}"#, "content.\"en\"", "strings"),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "{{b c}}"}}}"#,
            "not a placeholder", "{{name}}"
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "b"}}, "fallback": "fr"}"#,
            "fallback", "languages"
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "b"}}, "rate": 0}"#, "rate is 0",
            ""
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "b"}}, "rate": 5, "spread": "1 h"}"#,
            "spread stands beside rate", ""
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "b"}}, "expires": "6 hoors"}"#,
            "length of time", "30 min"
        ),
        (
            #"{"hubs": ["news"], "audience": {"handles": {"list": "x"}}, "content": {"en": {"a": "b"}}}"#,
            "needs a native format", "apple"
        ),
        (
            #"{"hubs": ["news"], "format": "windows", "audience": {"tags": ["A"]}, "content": {"": "<toast>a & {{b}}</toast>"}}"#,
            "not an XML document", "&amp;"
        ),
        (
            #"{"hubs": ["news"], "format": "fcmv1", "audience": {"tags": ["A"]}, "content": {"": {"message": {"notification": {"titel": "x"}}}}}"#,
            "message.notification.titel is unknown to FCM", "Write message.notification.title, or leave it out."
        ),
        (
            #"{"hubs": ["news"], "format": "apple", "audience": {"tags": ["A"]}, "content": {"": {"aps": {"content_available": 1}}}}"#,
            "aps.content_available is unknown to Apple", "Write aps.content-available."
        ),
        (
            #"{"hubs": ["news"], "format": "apple", "audience": {"tags": ["A"]}, "content": {"": {"aps": 5}}}"#,
            "content.\"\"",
            ""
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "b"}}, "hubs": ["news"]}"#,
            "hubs is given twice", "Leave one out"
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"a": "COIN"}, "": {"a": "b"}}}"#,
            #"content."" is given twice"#, ""
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "COIN", "A": "b"}}}"#,
            #"content."en".A is given twice"#, ""
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "b"}}, "stopWhen": {"least": 5, "least": 9}}"#,
            "stopWhen.least is given twice", ""
        ),
        (
            #"{"hubs": ["news"], "format": "apple", "audience": {"tags": ["A"]}, "content": {"": {"aps": {"alert": {"title": "x", "title": "y"}}}}}"#,
            #"content."".aps.alert.title is given twice"#, ""
        ),
        (
            #"{"hubs": ["news"], "audience": "World", "content": {"en": {"a": "b"}}}"#, "is \"World\", not an object",
            #"{"tags": ["World"]}"#
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": [5]}, "content": {"en": {"a": "b"}}}"#,
            "has 5, which is not a tag", ""
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"title": "Hi"}}"#, #"content."title" stands"#,
            #"{"": {"title": ...}}"#
        ),
        (
            #"{"hubs": ["news"], "format": "apple", "audience": {"tags": ["A"]}, "content": {"aps": {"alert": "Hi"}}}"#,
            #"content."aps" stands"#, #"{"": {"aps": ...}}"#
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "b"}}, "priority": 1.5}"#,
            "priority is 1.5, not a whole number", ""
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "b"}}, "priority": "1"}"#,
            "priority is \"1\"", "without quotation marks"
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "b"}}, "rate": -1}"#,
            "rate is -1, not a number from", "Leave it out"
        ),
        (
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "b\u0000"}}}"#,
            "The spec holds the character NUL", #"in "a""#
        ),
        (
            #"{"hubs": ["news"], "format": "apple", "audience": {"tags": ["A"]}, "content": {"en": {"aps": {"alert": "a"}}, "fr": {"aps": {"alert": "b"}}}}"#,
            "payloads in several languages", "list or view"
        ),
    ])
    func aSpecThatCannotBeRunIsRefusedWithWhatToDo(spec: String, message: String, hint: String) async throws {
        let test = try await Self.untouched.value
        let error = await #expect(throws: DatabaseError.self) { try await Self.create(spec, in: test) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(hint.isEmpty || error?.hint?.contains(hint) == true, "\(error?.hint ?? "no hint")")
        #expect(try await test.number("SELECT count(*) FROM push.campaign") == 0)
    }

    /// 700 languages kept a backend busy for a minute and a half, and then paused the run.
    @Test(arguments: [false, true]) func aSpecHasALimit(isDraft: Bool) async throws {
        let test = try await Self.untouched.value
        func refusal(of content: String) async throws -> DatabaseError? {
            let spec = #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {\#(content)}}"#
            return await #expect(throws: DatabaseError.self) {
                try await CampaignStore(database: test.database).create("large", spec: spec, draft: isDraft)
            }
        }
        let long = String(repeating: "x", count: 1_048_576)
        #expect(try await refusal(of: #""": {"a": "\#(long)"}"#)?.message.hasPrefix("The spec has 1,048,6") == true)
        guard !isDraft else { return }  // a draft is kept with its problems
        let languages = (0..<65).map { #""aa-x-\#($0)": {"a": "b"}"# }.joined(separator: ", ")
        #expect(try await refusal(of: languages)?.message == "content has 65 languages, more than 64")
    }

    /// What people of other products write, and what was meant.
    @Test(arguments: [
        ("{{name | default: 'friend'}}", "{{name | default: 'friend'}}", "Write {{name|friend}}:"),
        ("{{name|default('friend')}}", "{{name|default('friend')}}", "Write {{name|friend}}:"),
        ("{{name | friend}}", "{{name | friend}}", "Write {{name|friend}}:"),
        ("{{name|  friend}}", "{{name|  friend}}", "Write {{name|friend}}:"),
        ("Hi {{name", "{{name", "Write {{name}}."), ("Hi name}}!", "name}}", "Write {{name}}."),
        ("Hi {name}}!", "{name}}", "Write {{name}}."), ("Hi {{name}!", "{{name}", "Write {{name}}."),
        ("{{b c}}", "{{b c}}", "A placeholder is {{name}}"), ("{{}}", "{{}}", "A placeholder is {{name}}"),
    ])
    func aPlaceholderThatIsNoneIsRefusedWithItsPlaceAndTheMend(text: String, wrong: String, hint: String) async throws {
        let test = try await Self.untouched.value
        for (spec, place) in [
            (#""content": {"en": {"title": "x", "body": "\#(text)"}}"#, #"content."en".body"#),
            (
                #""format": "apple", "content": {"": {"aps": {"alert": {"loc-args": ["\#(text)"]}}}}"#,
                #"content."".aps.alert.loc-args"#
            ),
            (
                #""format": "apple", "headers": {"apns-collapse-id": "\#(text)"}, "content": {"": {"aps": {"alert": "x"}}}"#,
                "headers.apns-collapse-id"
            ),
        ] {
            let error = await #expect(throws: DatabaseError.self) {
                try await Self.create(#"{"hubs": ["news"], "audience": {"tags": ["A"]}, \#(spec)}"#, in: test)
            }
            #expect(error?.message == "\(place) has \(wrong), which is not a placeholder")
            #expect(error?.hint?.hasPrefix(hint) == true, "\(error?.hint ?? "no hint")")
        }
    }

    @Test(arguments: [
        "{{ name }}, {{name|my dear: friend}}, {{name|}}", #"{\"a\": {\"b\": true}} {\"a\":{\"b\":{}}}"#, "{ name } {",
        "a } b }}",
    ])
    func whatIsAPlaceholderOrPlainTextIsTaken(text: String) async throws {
        let test = try await Self.make()
        try await Self.create(
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"title": "\#(text)"}}}"#, in: test)
        #expect(try await CampaignStore(database: test.database).remarks("spring").isEmpty)
        await test.database.close()
    }

    @Test func aNameInOneBraceAndAnEmptyTitleAreRemarkedUpon() async throws {
        let test = try await Self.make()
        try await Self.create(
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"title": " ", "body": "Hi {name}!", "url": ""}}}"#,
            in: test)
        let remarks = try await CampaignStore(database: test.database).remarks("spring")
        #expect(
            remarks.map(\.remark) == [
                #"content."en".body has {name}, which is sent as it is"#, #"content."en".title is empty"#,
            ])
        let checked = try await CampaignStore(database: test.database).check("spring")
        #expect(
            checked.filter { $0.level == "warning" }.prefix(2).map(\.about) == [
                #"content."en".body"#, #"content."en".title"#,
            ])
        await test.database.close()
    }

    @Test func aKeyThatAppleDoesNotKnowIsRemarkedUpon() async throws {
        let test = try await Self.make()
        try await Self.create(
            #"{"hubs": ["news"], "format": "apple", "audience": {"tags": ["A"]}, "content": {"": {"aps": {"alert": "x", "mine": 1}}}}"#,
            in: test)
        let remarks = try await CampaignStore(database: test.database).remarks("spring")
        #expect(remarks.map(\.remark) == [#"content."" aps.mine is unknown to Apple, which ignores it"#])
        await test.database.close()
    }

    /// The recipient's locale chooses, on a hub that localises by properties as well.
    @Test(arguments: [#"{"list": "beta"}"#, #"{"handles": {"list": "beta"}}"#])
    func aNativePayloadByLanguageGoesToPeople(audience: String) async throws {
        let test = try await Self.make()
        try await test.database.script("SELECT push.make_list('beta')")
        try await Self.create(
            #"{"hubs": ["news"], "audience": \#(audience), "format": "apple", "content": {"en": {"aps": {"alert": "Hi {{name|friend}}"}}, "fr": {"aps": {"alert": "Salut {{name|ami}}"}}}}"#,
            in: test)
        #expect(try await CampaignStore(database: test.database).start("spring", key: "k"))
        await test.database.close()
    }

    private static let plain = #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "b"}}}"#
    private static let other = #"{"hubs": ["news"], "audience": {"tags": ["B"]}, "content": {"en": {"a": "b"}}}"#

    @Test func theSameSpecInAnotherOrderIsNoNewRevision() async throws {
        let test = try await Self.make()
        let campaigns = CampaignStore(database: test.database)
        #expect(try await campaigns.create("spring", spec: Self.plain, draft: false) == (1, true))
        let again = #"{"content": {"en": {"a": "b"}}, "audience": {"tags": ["A"]}, "hubs": ["news"]}"#
        #expect(try await campaigns.create("spring", spec: again, draft: false) == (1, false))
        #expect(try await campaigns.create("spring", spec: Self.other, draft: false) == (2, true))
        await test.database.close()
    }

    @Test func aKeyBelongsToOneRevision() async throws {
        let test = try await Self.make()
        let campaigns = CampaignStore(database: test.database)
        try await Self.create(Self.plain, in: test)
        #expect(try await campaigns.start("spring", key: "k"))
        #expect(try await campaigns.start("spring", key: "k") == false)
        try await Self.create(Self.other, in: test)
        let error = await #expect(throws: DatabaseError.self) { try await campaigns.start("spring", key: "k") }
        #expect(error?.message.contains("revision 1") == true && error?.message.contains("revision 2") == true)
        #expect(try await campaigns.start("spring", key: "k2"))
        await test.database.close()
    }

    @Test func aDraftAndAnArchivedCampaignCannotBeRun() async throws {
        let test = try await Self.make()
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create("spring", spec: #"{"hubs": ["nws"]}"#, draft: true)
        let draft = await #expect(throws: DatabaseError.self) { try await campaigns.start("spring", key: "k") }
        #expect(draft?.message == "campaign spring is a draft")
        try await Self.create(Self.plain, in: test)
        try await campaigns.archive("spring")
        let archived = await #expect(throws: DatabaseError.self) { try await campaigns.start("spring", key: "k") }
        #expect(archived?.message == "campaign spring is archived")
        await test.database.close()
    }

    /// A run that nobody wants any more does not begin, however close the two are.
    @Test(arguments: ["push.archive_campaign('spring')", "push.reject('spring', 1, 'no')"])
    func aStartWaitsForWhoTakesTheCampaignBack(call: String) async throws {
        let test = try await Self.make()
        try await Self.create(Self.plain, in: test)
        let other = test.another(maximumConnections: 1)
        let starting = try await other.withTransaction { connection in
            try await connection.execute("SELECT \(raw: call)")
            let starting = Task { try await CampaignStore(database: test.database).start("spring", key: "k") }
            try await Awaited.until("the start waits") {
                let waiting = try await connection.query(
                    """
                    SELECT count(*) FROM pg_stat_activity
                     WHERE wait_event_type = 'Lock' AND datname = current_database() AND pid <> pg_backend_pid()
                    """
                ) { rows in try rows.single { row in try row.int64() } }
                return (waiting, waiting == 1)
            }
            return starting
        }
        await #expect(throws: DatabaseError.self) { try await starting.value }
        #expect(try await test.number("SELECT count(*) FROM push.run") == 0)
        await other.close()
        await test.database.close()
    }

    @Test func twoSessionsThatStartTheSameKeyStartItOnce() async throws {
        let test = try await Self.make()
        try await Self.create(Self.plain, in: test)
        let started = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { try await CampaignStore(database: test.database).start("spring", key: "k") }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(started == 1)
        #expect(try await test.number("SELECT count(*) FROM push.stream") == 1)
        await test.database.close()
    }
}
