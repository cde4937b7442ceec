import Foundation
import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What somebody reads before approving a revision is what is sent, however its JSON is written; or the spec is refused.
@Suite(.timeLimit(.minutes(10))) struct ApprovedTextTests {
    /// Writes objects as people and programs do, and as nobody should.
    private struct OddJSON {
        var random: SeededRandom

        mutating func one<T>(_ of: [T]) -> T { of.randomElement(using: &random)! }

        /// Mostly something usual: of specs that are odd in many places none is taken.
        mutating func usually<T>(_ usual: [T], _ odd: [T]) -> T {
            one(Int.random(in: 0..<8, using: &random) > 0 ? usual : odd)
        }

        mutating func text() -> String {
            let usual = [
                "Good", "morning", " ", #"\u0041"#, #"\u00e9"#, "é", #"\ud83d\ude00"#, "😀", #"\/"#, "/",
                #"\""#, #"\\"#,
                #"\n"#,
            ]
            let odd = [
                "", #"\t"#, #"\u2028"#, #"\u202e"#, "\u{202e}", #"\u0000"#, #"\ud800"#, #"\u001b[31m"#,
                "{{name|you}}",
                "{{name}",
                "$(title)", "<b>", "%s", #"\u007b\u007bname|x}}"#, String(repeating: "long ", count: 40),
            ]
            return (0..<Int.random(in: 1...4, using: &random)).map { _ in usually(usual, odd) }.joined()
        }

        mutating func number() -> String {
            usually(
                ["0", "7", "7.0", "7.10", "1e2", "1E+2", "1e-2", "0.1e1", "12345678901234567890"],
                ["-0", "1.0000000000000000001", "1e400", "007", ".5"])
        }

        mutating func value(_ depth: Int) -> String {
            let deep = one([1, 63, 70])
            return usually(
                ["\"\(text())\"", "\"\(text())\"", "\"\(text())\"", number(), one(["true", "false"])],
                [
                    "null", "[]", "[\"\(text())\"]",
                    String(repeating: "[", count: deep) + String(repeating: "]", count: deep),
                    depth < 3 ? object(depth + 1) : "\"\"",
                ])
        }

        mutating func object(_ depth: Int = 0) -> String {
            let gap = one(["", " ", "\n\t", "  "])
            var names = ["title", "body", "url", "n"].shuffled(using: &random).prefix(
                Int.random(in: 1...4, using: &random))
            for index in names.indices {
                names[index] = usually(
                    [names[index]],
                    [
                        "Title", "TITLE", #"titl\u0065"#, #"\u0074itle"#, "bo dy", "", "a.b", #"a\"b"#, "é",
                        #"\u00e9"#,
                        "__proto__", "title",
                    ])
            }
            let members = names.map { "\(gap)\"\($0)\"\(gap):\(gap)\(value(depth))" }
            return "{\(members.joined(separator: ","))\(gap)}"
        }

        /// What stands behind `"content":` in a spec.
        mutating func rest() -> String {
            usually(
                [content()],
                [content() + #", "content": "# + content(), content() + #", "c\u006fntent": "# + content()])
        }

        /// A content, in one language or several.
        mutating func content() -> String {
            let languages = [one(["", "en"]), usually(["fr"], [#"e\u006e"#, "", "EN", "xx"])]
                .prefix(Int.random(in: 1...2, using: &random))
            return "{\(languages.map { "\"\($0)\": \(object())" }.joined(separator: ", "))}"
        }
    }

    /// What became of one spec.
    private struct Seen: Decodable {
        var refused: String?
        /// By language and property, as the screen of an approver has it: JSON.
        var shown: [String: String]?
        /// By language, as a worker reads it.
        var sent: [[String]]?
    }

    /// Creates a campaign of each spec, and reads it as an approver and as a worker do.
    private static func read(_ contents: [String], in test: TestDatabase) async throws -> [Seen] {
        try await test.texts(
            "SELECT seen(content, 'c' || n)::text FROM unnest(\(contents)) WITH ORDINALITY u(content, n) ORDER BY n"
        ).map { try JSONDecoder().decode(Seen.self, from: Data($0.utf8)) }
    }

    private static func make() async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(
            """
            CREATE FUNCTION seen(content text, name text) RETURNS json LANGUAGE plpgsql AS $$ BEGIN
                PERFORM push.create_campaign(
                    name, ('{"hubs": ["news"], "audience": {"tags": ["A"]}, "approval": "one", "content": ' || content || '}')::json, false);
                RETURN json_build_object(
                    'shown', (SELECT json_object_agg(c.path, c.after) FROM push.changes_of_revision(name, 1) c
                               WHERE c.path ~ '^content[.]'),
                    'sent', (SELECT json_agg(json_build_array(e.key, e.value::text))
                               FROM push.campaign c
                                    JOIN push.campaign_revision r ON r.campaign = c.id,
                                    json_each(r.spec -> 'content') e
                              WHERE c.name = seen.name));
            EXCEPTION WHEN OTHERS THEN
                RETURN json_build_object('refused', SQLERRM);
            END $$
            """)
        return test
    }

    /// A name as it stands in `push.changes_of_revision.path`.
    private static func part(_ name: String) throws -> String {
        if name.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil { return name }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: try encoder.encode(name), as: UTF8.self)
    }

    /// As a phone shows it to somebody of whom nothing is known.
    private static func text(ofShown json: String) -> String {
        let text = (try? JSONDecoder().decode(String.self, from: Data(json.utf8))) ?? json
        return text.replacing("{{name|you}}", with: "you").replacing("{{name|x}}", with: "x")
    }

    @Test(arguments: 1...TestDepth.of(6 as UInt64, full: 20)) func whatIsReadIsWhatIsSent(seed: UInt64)
        async throws
    {
        var odd = OddJSON(random: SeededRandom(seed: seed))
        let contents = (0..<250).map { _ in odd.rest() }
        let test = try await Self.make()
        var compared = 0
        for (content, seen) in zip(contents, try await Self.read(contents, in: test)) {
            guard let pairs = seen.sent else {
                #expect(seen.refused?.isEmpty == false, "\(content)")
                continue
            }
            let sent = Dictionary(pairs.map { ($0[0], $0[1]) }) { first, _ in first }  // as Queue.runContents
            var hub = HubSettings(name: "news")
            for language in sent.keys where !language.isEmpty { hub.languages[language] = language }
            let message = Message(
                id: 1, target: .tag("A"), content: "{}", format: "template", expiresAt: .infinity, stream: 1
            )
            let run = RunContent(id: 1, format: "template", texts: sent)
            let plan = Plan([message], for: hub, now: 0, runContents: [1: run])
            // A hub takes Message for message, so a language's TITLE is another's title.
            let shown = Dictionary(grouping: seen.shown ?? [:]) { $0.key.lowercased() }.mapValues {
                $0.map { Self.text(ofShown: $0.value) }
            }
            // What cannot be filled is refused, message by message.
            guard let post = plan.posts.first else { continue }
            for (key, value) in try JSONDecoder().decode([String: String].self, from: Data(post.body)) {
                let places =
                    [("", key)] + sent.keys.map { language in (language, key) }
                    + sent.keys.compactMap { language in
                        key.hasSuffix("_\(language)")
                            ? (language, String(key.dropLast(language.count + 1))) : nil
                    }
                let texts = try places.flatMap { language, name in
                    shown["content.\(try Self.part(language)).\(try Self.part(name))".lowercased()] ?? []
                }
                #expect(
                    texts.contains(value), "\(content): sent \(key) = \(value), shown \(seen.shown ?? [:])")
                compared += 1
            }
        }
        #expect(compared > 20, "the test")
        await test.database.close()
    }
}
