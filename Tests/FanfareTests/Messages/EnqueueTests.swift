import Foundation
import ProgramSupport
import Testing

@Suite struct EnqueueTests {
    @Test func aMessageOfOptionsIsWrittenWithEveryColumn() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare(
            "enqueue", "--hub", "news", "--tag", "World", "--property", "title=It's \"here\"", "--property", "n=1",
            "--at", "2100-01-01T00:00:00Z", "--expires-at", "2100-01-02T00:00:00Z", "--priority", "bulk",
            "--on-doubt", "resend", "--no-pack", "--campaign", "c", "--run", "r", "--tenant", "t")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.hasPrefix("1 inserted, to be sent at 2100-01-01T00:00:00Z, in "), "\(ended.output)")
        let row = try await site.text(
            """
            SELECT concat_ws('|', tag, content, extract(year FROM send_at), expires_at > send_at, priority, on_doubt, pack,
                             campaign, run, tenant) FROM push.message
            """)
        #expect(row == #"World|{"n": "1", "title": "It's \"here\""}|2100|t|2|resend|f|c|r|t"#)
    }

    @Test func translationsTravelTogether() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare(
            "enqueue", "--hub", "news", "--tag", "World", "--content", #"{"title": "Hello"}"#, "--translation",
            #"fr={"title": "Bonjour"}"#)
        #expect(ended.output == "1 inserted\n2 inserted\n")
        #expect(try await site.number("SELECT count(*) FROM push.due WHERE kind = 't'") == 1)
    }

    @Test func aFileOfLinesIsOneStatement() async throws {
        let site = try await Site.make()
        let lines = """
            {"hub": "news", "tag": "A", "locale": "en", "content": {"z": "1", "a": "\\u00e9"}, "meta": {"q": [1, "}"]}}

            {"hub":"news","tag":"A","locale":"fr","content":"{\\"z\\": \\"2\\"}","campaign":null}
            {"hub": "news", "tag": "B", "content": {"z": "3"}, "priority": "urgent", "pack": false, "run": "7"}
            """
        let ended = try await site.fanfare("enqueue", "--file", "-", "--json", input: lines)
        #expect(ended.status == 0, "\(ended.errors)")
        let document = try ended.json([String: Any].self)
        #expect(document["ids"] as? [Int] == [1, 2, 3])
        #expect(document["dry_run"] as? Bool == false)
        #expect(try await site.number("SELECT count(*) FROM push.due") == 2)
        #expect(try await site.text("SELECT content FROM push.message WHERE id = 1") == #"{"z": "1", "a": "\u00e9"}"#)
        #expect(try await site.text("SELECT meta FROM push.message WHERE id = 1") == #"{"q": [1, "}"]}"#)
        #expect(try await site.text("SELECT content FROM push.message WHERE id = 2") == #"{"z": "2"}"#)
        #expect(try await site.number("SELECT priority FROM push.message WHERE id = 3") == 0)
    }

    @Test func aLineOfAFileMayHaveTranslations() async throws {
        let site = try await Site.make()
        let lines = """
            {"hub": "news", "tag": "A", "content": {"t": "Hello"}, "translations": {"fr": {"t": "Bonjour"}}}
            {"hub": "news", "tag": "A", "translations": {"en": {"t": "World"}, "fr": {"t": "Monde"}}}
            """
        let ended = try await site.fanfare("enqueue", "--file", "-", "--json", input: lines)
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(try ended.json([String: Any].self)["messages"] as? Int == 2)
        #expect(try await site.number("SELECT count(*) FROM push.message") == 4)
        #expect(try await site.number("SELECT count(*) FROM push.due") == 2, "each line is a content of its own")
        for (line, why) in [
            (#"{"hub": "news", "tag": "A", "translations": {"fr": {"t": 1}}}"#, "translations.fr, key \"t\""),
            (#"{"hub": "news", "tag": "A", "translations": []}"#, "translations cannot be a list"),
            (#"{"hub": "news", "tag": "A", "translations": {}}"#, "translations cannot be an object"),
            (#"{"hub": "news", "tag": "A"}"#, "content is missing"),
        ] {
            let refused = try await site.fanfare("enqueue", "--file", "-", input: line)
            #expect(refused.status == 65)
            #expect(refused.errors.contains("standard input, line 1: \(why)"), "\(refused.errors)")
        }
        #expect(try await site.number("SELECT count(*) FROM push.message") == 4)
    }

    @Test func aReplacementSaysWhatItReplaced() async throws {
        let site = try await Site.make()
        let message = ["enqueue", "--hub", "news", "--tag", "A", "--property", "x=1", "--dedupe-key", "k", "--replace"]
        #expect(try await site.fanfare.run(message).output == "1 inserted\n")
        let moved = try await site.fanfare.run(message + ["--send-at", "2100-01-01T00:00:00Z"])
        #expect(moved.output.hasPrefix("2 inserted in place of 1, to be sent at 2100-01-01T00:00:00Z, in "))
        let line = #"{"hub": "news", "tag": "A", "content": {"x": "2"}, "dedupe_key": "k", "replace": true}"#
        let listed = try await site.fanfare("enqueue", "--file", "-", "--json", input: line)
        let rows = try #require(try listed.json([String: Any].self)["rows"] as? [[String: Any]])
        #expect(rows.map { $0["replaced"] as? Int } == [2])
        #expect(try await site.text("SELECT string_agg(id::text, ' ') FROM push.due") == "3")

        try await site.withDatabase { database in
            try await database.script(
                "DELETE FROM push.due; INSERT INTO push.result (id, status, reason) VALUES (3, 'accepted', 'taken_by_hub')"
            )
        }
        let late = try await site.fanfare.run(message)
        #expect(late.status == 0 && late.output == "3 duplicate, too late to replace it\n")
        for (options, says) in [
            (["--replace"], "--replace needs the --dedupe-key"),
            (["--replace", "--dedupe-key", "k", "--content-key", "c"], "--replace does not go with --content-key"),
            (["--replace", "--file", "-"], "leave out --replace"),
        ] {
            let start = options.contains("--file") ? ["enqueue"] : Array(message.prefix(7))
            let refused = try await site.fanfare.run(start + options)
            #expect(refused.status == 64 && refused.errors.contains(says), "\(refused.errors)")
        }
    }

    @Test func itSaysWhenAMessageIsSent() async throws {
        let site = try await Site.make()
        let message = [
            "enqueue", "--hub", "news", "--tag", "A", "--property", "x=1", "--send-at", "2099-06-01 07:00 Europe/Paris",
        ]
        let rehearsed = try await site.fanfare.run(message + ["--dry-run"])
        #expect(
            rehearsed.output.hasPrefix("1 message would be enqueued, to be sent at 2099-06-01T05:00:00Z, in "),
            "\(rehearsed.output) \(rehearsed.errors)")
        let document = try await site.fanfare.run(message + ["--dry-run", "--json"]).json([String: Any].self)
        let row = try #require((document["rows"] as? [[String: Any]])?.first)
        #expect(row["send_at"] as? String == "2099-06-01T05:00:00Z" && row["id"] is NSNull)
        #expect(try await site.number("SELECT count(*) FROM push.message") == 0)
        let ended = try await site.fanfare.run(message)
        #expect(ended.output.contains(" inserted, to be sent at 2099-06-01T05:00:00Z, in "), "\(ended.output)")
        let quiet = try await site.fanfare.run(message + ["--quiet"])
        #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.errors.isEmpty)
        #expect(try await site.number("SELECT count(*) FROM push.message") == 2)
    }

    @Test func aFileOnDiskWithWindowsLineEndsIsRead() async throws {
        let site = try await Site.make()
        let line = #"{"hub": "news", "tag": "A", "content": {"a": "1"}}"#
        let path = try site.scratch.write("\u{FEFF}\(line)\r\n\(line)\r\n", to: "messages.jsonl")
        #expect(try await site.fanfare("enqueue", "--file", path).output == "1 inserted\n2 inserted\n")
    }

    @Test func theSameKeyTwiceIsOneMessageAndNoFault() async throws {
        let site = try await Site.make()
        let nightly = [
            "enqueue", "--hub", "news", "--tag", "World", "--property", "title=Hello", "--dedupe-key", "nightly-1",
        ]
        let first = try await site.fanfare.run(nightly + ["--json"])
        #expect(first.status == 0, "\(first.errors)")
        #expect(try first.json([String: Any].self)["inserted"] as? Int == 1)
        let second = try await site.fanfare.run(nightly + ["--json"])
        #expect(second.status == 0, "\(second.errors)")
        let document = try second.json([String: Any].self)
        #expect(document["inserted"] as? Int == 0)
        #expect(document["ids"] as? [Int] == [1])
        #expect(document["messages"] as? Int == 1)
        #expect((document["rows"] as? [[String: Any]])?.first?["inserted"] as? Bool == false)
        #expect(try await site.fanfare.run(nightly).output == "1 duplicate\n")
        #expect(try await site.number("SELECT count(*) FROM push.due") == 1)
    }

    @Test func oneFileMayRepeatAKey() async throws {
        let site = try await Site.make()
        let lines = ["a", "b", "a"].map {
            #"{"hub": "news", "tag": "A", "content": {"x": "1"}, "dedupe_key": "\#($0)"}"#
        }
        let ended = try await site.fanfare("enqueue", "--file", "-", input: lines.joined(separator: "\n"))
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output == "1 inserted\n2 inserted\n1 duplicate\n")
        #expect(try await site.number("SELECT count(*) FROM push.due") == 2)
    }

    @Test func translationsOfOneKeyMayComeWithSeveralCommands() async throws {
        let site = try await Site.make()
        for (locale, title) in [("en", "Hello"), ("fr", "Bonjour")] {
            let ended = try await site.fanfare(
                "enqueue", "--hub", "news", "--tag", "World", "--locale", locale, "--property", "title=\(title)",
                "--content-key", "story-7")
            #expect(ended.status == 0, "\(ended.errors)")
        }
        #expect(
            try await site.text(
                "SELECT string_agg(locale, ',' ORDER BY id) FROM push.content WHERE content_key = 'story-7'")
                == "en,fr")
    }

    @Test func aNativePayloadGoesToHandles() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare(
            "enqueue", "--hub", "news", "--handle", "AA", "--handle", "BB", "--format", "apple", "--content",
            #"{"aps": {"alert": "Hi"}}"#, "--header", "apns-priority=5", "--meta", #"{"order": 7}"#)
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(
            try await site.text(
                "SELECT concat_ws('|', format, handles, headers->>'apns-priority', content, meta) FROM push.message")
                == #"apple|{AA,BB}|5|{"aps": {"alert": "Hi"}}|{"order": 7}"#)
        let refused = try await site.fanfare(
            "enqueue", "--hub", "news", "--handle", "AA", "--format", "apple", "--content", #"{"aps": 1}"#)
        #expect(refused.status == 65)
        #expect(refused.errors.contains("aps"), "\(refused.errors)")
    }

    @Test func aTimeMayBeCountedFromNow() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare(
            "enqueue", "--hub", "news", "--tag", "A", "--property", "x=1", "--at", "+2h", "--expires-at", "+1d")
        #expect(ended.status == 0, "\(ended.errors)")
        let isNear = "clock_timestamp() + interval '1 hour' AND clock_timestamp() + interval '3 hours'"
        #expect(try await site.number("SELECT count(*) FROM push.message WHERE send_at BETWEEN \(isNear)") == 1)
        let bad = try await site.fanfare(
            "enqueue", "--hub", "news", "--tag", "A", "--property", "x=1", "--at", "+soon")
        #expect(bad.status == 65)
        #expect(bad.errors.hasPrefix("fanfare: --send-at: +soon is not a time span\nhint: "))
    }

    @Test func aZoneThatIsMisspeltIsNamed() async throws {
        let site = try await Site.make()
        let bad = try await site.fanfare(
            "enqueue", "--hub", "news", "--tag", "A", "--property", "x=1", "--send-at", "2099-06-01 07:00 Europe/Pariss"
        )
        #expect(bad.status == 65)
        #expect(bad.errors.contains("Europe/Paris"), "\(bad.errors)")
        #expect(bad.errors.contains("hint: "), "\(bad.errors)")
    }

    @Test func aLineSetsEveryColumnABackendMay() async throws {
        let site = try await Site.make()
        let lines = """
            {"hub": "news", "handles": ["https://wns.example/?token=1"], "format": "windows", "content": "<toast/>", "headers": {"X-WNS-Type": "wns/toast"}, "dedupe_key": "d", "send_at": 4102444800}
            {"hub": "news", "tag": "A", "locale": "en", "content": {"x": "1"}, "content_key": "c", "expires_at": "+1d", "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
            """
        let ended = try await site.fanfare("enqueue", "--file", "-", input: lines)
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(
            try await site.text(
                """
                SELECT concat_ws('|', format, handles, content, headers->>'X-WNS-Type', dedupe_key, extract(epoch FROM send_at)::bigint)
                  FROM push.message WHERE id = 1
                """) == #"windows|{https://wns.example/?token=1}|"<toast/>"|wns/toast|d|4102444800"#)
        #expect(try await site.text("SELECT content_key FROM push.message WHERE id = 2") == "c")
    }

    private static let badLines = [
        (#"{"hub": "news", "tag": "A""#, ", column 27: it is not JSON"),
        (#"["hub"]"#, "not a JSON object"),
        (#"{"hub": "news", "tga": "A", "content": {}}"#, "tga is not a column"),
        (#"{"hub": "news", "hub": "news", "content": {}}"#, "hub stands twice"),
        (#"{"hub": "news", "tag": 7, "content": {}}"#, "tag cannot be a number"),
        (#"{"tag": "A", "content": {}}"#, "hub is missing"),
        (#"{"hub": "news", "tag": "A"}"#, "content is missing"),
        (#"{"hub": "news", "tag": "A", "content": {"n": 1}}"#, #"key "n""#),
        (#"{"hub": "news", "tag": "A", "content": []}"#, "content cannot be a list"),
        (#"{"hub": "news", "tag": "A", "content": {}, "priority": 3.5}"#, "priority is 0 urgent"),
        (#"{"hub": "news", "tag": "A", "content": {}, "id": 3}"#, "id is not a column"),
        (#"{"hub": "news", "handles": "AA", "format": "apple", "content": {}}"#, "handles cannot be a text"),
        (#"{"hub": "news", "handles": [1], "format": "apple", "content": {}}"#, "handles cannot be a list"),
        (#"{"hub": "news", "tag": "A", "content": {}, "send_at": "+soon"}"#, "send_at, +soon is not a time span"),
        (#"{"hub": "news", "tag": "A", "content": {}, "send_at": true}"#, "send_at cannot be true or false"),
    ]

    @Test func aBadLineIsNamedAndNothingIsEnqueued() async throws {
        let site = try await Site.make()
        let good = #"{"hub": "news", "tag": "A", "content": {"a": "1"}}"#
        for (line, words) in Self.badLines {
            let ended = try await site.fanfare("enqueue", "--file", "-", input: "\(good)\n\(line)\n")
            #expect(ended.status == 65, "\(line)")
            #expect(ended.errors.hasPrefix("fanfare: standard input, line 2"))
            #expect(ended.errors.contains(words), "\(ended.errors)")
            #expect(ended.output.isEmpty)
        }
        #expect(try await site.number("SELECT count(*) FROM push.message") == 0)
    }

    private static let refusedLines = [
        (#"{"hub": "news", "tag": "two words", "content": {"a": "1"}}"#, "push.message.tag"),
        (#"{"hub": "nws", "tag": "A", "content": {"a": "1"}}"#, "not registered"),
        (#"{"hub": "news", "broadcast": true, "content": {"a": "1"}}"#, "does not allow messages to everyone"),
        (#"{"hub": "news", "tag": "A", "content": {"a": "1"}, "send_at": "tomorrowish"}"#, "tomorrowish"),
        (
            #"{"hub": "news", "tag": "A", "content": {"a": "1"}, "priority": 9}"#,
            "push.message.priority 9 is not 0, 1 or 2"
        ),
        (#"{"hub": "news", "tag": "A", "content": {"a": "1"}, "locale": "fr"}"#, "fallback language"),
    ]

    @Test func aRowTheTableRefusesIsNamedByItsLine() async throws {
        let site = try await Site.make()
        let good = (1...7).map { #"{"hub": "news", "tag": "t\#($0)", "content": {"a": "1"}}"# }
        for (line, words) in Self.refusedLines {
            let lines = (good.prefix(4) + [line] + good.suffix(3)).joined(separator: "\n")
            let ended = try await site.fanfare("enqueue", "--file", "-", input: lines)
            #expect(ended.status == 65, "\(line)")
            #expect(ended.errors.hasPrefix("fanfare: standard input, line 5: "), "\(ended.errors)")
            #expect(ended.errors.contains(words), "\(ended.errors)")
        }
        #expect(try await site.number("SELECT count(*) FROM push.message") == 0)
    }

    @Test func aDryRunTriesEverythingAndLeavesNothing() async throws {
        let site = try await Site.make()
        let good = try await site.fanfare(
            "enqueue", "--dry-run", "--hub", "news", "--tag", "A", "--property", "a=1", "--json")
        #expect(good.status == 0)
        #expect(try good.json([String: Any].self)["messages"] as? Int == 1)
        let bad = try await site.fanfare("enqueue", "--dry-run", "--hub", "nws", "--tag", "A", "--property", "a=1")
        #expect(bad.status == 65)
        #expect(bad.errors.contains("hint: Registered: news."))
        #expect(try await site.number("SELECT count(*) FROM push.message") == 0)
        #expect(try await site.number("SELECT count(*) FROM push.due") == 0)
    }

    @Test func aRefusalDoesNotQuoteTheContent() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare(
            "enqueue", "--hub", "news", "--tag", "A", "--property", "a=whispered", "--expires-at", "2001-01-01T00:00Z")
        #expect(ended.status == 65)
        #expect(ended.errors.contains("push.message.expires_at"))
        #expect(!ended.errors.contains("whispered"))
    }

    @Test(arguments: [
        [], ["--hub", "news"], ["--hub", "news", "--tag", "A"],
        ["--hub", "news", "--tag", "A", "--broadcast", "--property", "a=1"],
        ["--hub", "news", "--tag", "A", "--property", "a=1", "--content", "{}"],
        ["--hub", "news", "--tag", "A", "--property", "a=1", "--property", "a=2"],
        ["--hub", "news", "--tag", "A", "--property", "a"],
        ["--hub", "news", "--tag", "A", "--property", "a=1", "--priority", "high"],
        ["--hub", "news", "--tag", "A", "--property", "a=1", "--on-doubt", "perhaps"],
        ["--hub", "news", "--tag", "A", "--locale", "fr", "--translation", "en={}"],
        ["--file", "-", "--hub", "news"], ["--file", "-", "--dedupe-key", "k"],
        ["--hub", "news", "--handle", "AA", "--property", "a=1"],
        ["--hub", "news", "--handle", "AA", "--tag", "A", "--format", "apple", "--content", "{}"],
        ["--hub", "news", "--tag", "A", "--format", "apple", "--property", "a=1"],
    ])
    func optionsThatMakeNoMessageAreWrongUsage(options: [String]) async throws {
        let ended = try await BuiltProgram(settings: nil).run(["enqueue"] + options)
        #expect(ended.status == 64)
        #expect(ended.errors.hasPrefix("fanfare: enqueue: "))
        #expect(ended.errors.contains("\nhint: fanfare enqueue --help"))
    }

    @Test func aContentThatIsNoneIsBadInput() async throws {
        for content in ["{", "[]", #"{"a": 1}"#] {
            let ended = try await BuiltProgram(settings: nil)(
                "enqueue", "--hub", "news", "--tag", "A", "--content", content)
            #expect(ended.status == 65)
            #expect(ended.errors.hasPrefix("fanfare: --content"))
        }
    }

    @Test func aFileThatIsNotThereIsBadInput() async throws {
        let ended = try await BuiltProgram(settings: nil)("enqueue", "--file", "/nowhere/messages.jsonl")
        #expect(ended.status == 65)
        #expect(ended.errors == "fanfare: cannot read /nowhere/messages.jsonl: No such file or directory\n")
    }

    /// Cron is where nobody sees psql's warnings.
    @Test func whatTheDatabaseWarnsOfIsSaidAndCounted() async throws {
        let site = try await Site.make()
        let odd = ["enqueue", "--hub", "news", "--tag", "World", "--content", "{}"]
        for options in [[], ["--quiet"], ["--log-level", "error"], ["--dry-run"]] {
            let ended = try await site.fanfare.run(odd + options)
            #expect(ended.status == 0)
            #expect(
                ended.errors == """
                    fanfare: warning: push.message: rows with a content without properties: 1, first row 1 (tag "World")
                    hint: A template that inserts a property shows nothing in its place.
                    fanfare: 1 warning\n
                    """, "\(options)")
        }
        let late = try await site.fanfare(
            "enqueue", "--hub", "news", "--tag", "World", "--property", "m=hi", "--at", "2026-03-29T02:30Z", "--json")
        #expect(late.status == 0)
        let warnings = try late.json([String: Any].self)["warnings"] as? [[String: Any]]
        #expect(warnings?.count == 1)
        #expect((warnings?.first?["message"] as? String)?.contains("that end as expired") == true)
        #expect(warnings?.first?["hint"] is String)
    }

    @Test(arguments: [["--strict"], ["--strict", "--dry-run"]])
    func strictRefusesWhatTheDatabaseWarnsOf(options: [String]) async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare.run(
            ["enqueue", "--hub", "news", "--tag", "World", "--content", #"{"a": "1", "a": "2"}"#] + options)
        #expect(ended.status == 65 && ended.output.isEmpty)
        #expect(
            ended.errors.hasPrefix(
                "fanfare: cannot enqueue: push.message: rows with a content that has a property twice"),
            "\(ended.errors)")
        #expect(try await site.number("SELECT count(*) FROM push.message") == 0)
        let good = try await site.fanfare.run(
            ["enqueue", "--hub", "news", "--tag", "World", "--property", "m=hi"] + options)
        #expect(good.status == 0 && good.errors.isEmpty, "\(good.errors)")
    }

    @Test func anEmptyFileIsNoFaultAndSaidToBeEmpty() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("enqueue", "--file", "-", input: "\n")
        #expect(ended.status == 0 && ended.output == "standard input: no messages\n", "\(ended)")
        #expect(try await site.fanfare("enqueue", "--file", "-", "--quiet", input: "").output.isEmpty)
    }
}
