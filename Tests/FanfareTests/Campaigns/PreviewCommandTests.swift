import Foundation
import ProgramSupport
import Testing

/// `fanfare campaign preview`, `template lint --campaign` and what `campaign check` says of texts, with a database.
@Suite struct PreviewCommandTests {
    /// News in two languages, for a list of two.
    private static func make() async throws -> Site {
        let site = try await Site.make()
        try await site.execute(
            """
            SELECT push.make_list('l');
            INSERT INTO push.list_member (list, key, tag, properties)
            SELECT l.id, n::text, 'u:' || n, '{"name": "Ada"}' FROM push.list l, generate_series(1, 2) n;
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"list": "l"}, "content": {
                "en": {"title": "We miss you, {{name|friend}}", "text": "Come back"},
                "fr": {"title": "Vous nous manquez"}}}');
            """)
        return site
    }

    @Test func aPhoneForEachLanguageIsDrawn() async throws {
        let site = try await Self.make()
        let ended = try await site.fanfare("campaign", "preview", "spring", "--platform", "apns", "--with", "name=Ada")
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
        let lines = ended.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("hub news   body of ") == true, "\(ended)")
        #expect(lines.dropFirst().first == "no template of hub news is known: fanfare template learn --hub news")
        #expect(ended.output.contains("en, an example") && ended.output.contains("fr, an example"))
        #expect(ended.output.contains("We miss you, Ada") && ended.output.contains("Vous nous manquez"))
        #expect(ended.output.matches(of: /Come back/).count == 2, "the fallback fills what a language lacks")
    }

    @Test func theDocumentHasWhatTheScreenHas() async throws {
        let site = try await Self.make()
        let ended = try await site.fanfare("campaign", "preview", "spring", "--locale", "fr-CA", "--json")
        let document = try ended.json([String: Any].self)
        let hub = try #require((document["hubs"] as? [[String: Any]])?.first)
        #expect(hub["has_examples"] as? Bool == true && (hub["refused"] as? [Any])?.isEmpty == true)
        let phones = try #require(hub["phones"] as? [[String: Any]])
        #expect(phones.map { $0["platform"] as? String } == ["apns", "fcmV1"])
        #expect(phones.allSatisfy { $0["locale"] as? String == "fr" && $0["title"] as? String == "Vous nous manquez" })
        #expect(phones.allSatisfy { $0["text"] as? String == "Come back" && $0["silent"] as? Bool == false })
        #expect(
            phones.first?["payload"] as? String
                == #"{"aps":{"alert":{"title":"Vous nous manquez","body":"Come back"}}}"#)
    }

    @Test func whatPhonesAreKnownToHaveIsDrawn() async throws {
        let site = try await Self.make()
        let learned = try await site.fanfare(
            "template", "learn", "--hub", "news", "-", "--platform", "apns", "--name", "short",
            input: #"{"aps": {"alert": "$(title_French)"}}"#)
        #expect(learned.status == 0, "\(learned.errors)")
        let ended = try await site.fanfare("campaign", "preview", "spring", "--locale", "fr", "--json")
        let hub = try #require((try ended.json([String: Any].self)["hubs"] as? [[String: Any]])?.first)
        #expect(hub["has_examples"] as? Bool == false, "\(hub)")
        let phones = try #require(hub["phones"] as? [[String: Any]])
        #expect(phones.map { $0["platform"] as? String } == ["apns"])
        #expect(phones.first?["payload"] as? String == #"{"aps":{"alert":"Vous nous manquez"}}"#, "\(phones)")
        let lint = try await site.fanfare("template", "lint", "--campaign", "spring")
        #expect(!lint.output.contains("no template of hub news is known"), "\(lint)")
    }

    @Test func nothingIsWritten() async throws {
        let site = try await Self.make()
        let rows =
            "(SELECT count(*) FROM push.message) + (SELECT count(*) FROM push.run) + (SELECT count(*) FROM push.audit)"
        let before = try await site.number(rows)
        #expect(try await site.fanfare("campaign", "preview", "spring").status == 0)
        #expect(try await site.fanfare("campaign", "check", "spring").status == 0)
        #expect(try await site.fanfare("template", "lint", "--campaign", "spring").status == 0)
        #expect(try await site.number(rows) == before)
    }

    @Test func whatWouldBeRefusedExitsWithBadInput() async throws {
        let site = try await Self.make()
        try await site.execute(
            """
            SELECT push.create_campaign('hard', '{"hubs": ["news"], "audience": {"list": "l"},
                "content": {"en": {"title": "Hi {{nick}}"}}}');
            """)
        let ended = try await site.fanfare("campaign", "preview", "hard")
        #expect(ended.status == 65 && ended.output.contains("{{nick}}"), "\(ended)")
        #expect(try await site.fanfare("campaign", "preview", "hard", "--with", "nick=A").status == 0)
        let unknown = try await site.fanfare("campaign", "preview", "none")
        #expect(unknown.status == 65 && unknown.errors.contains("none"), "\(unknown)")
        let locale = try await site.fanfare("campaign", "preview", "spring", "--locale", "!")
        #expect(locale.status == 64 && locale.errors.contains("--locale"), "\(locale)")
    }

    @Test func checkEndsWithTheTexts() async throws {
        let site = try await Self.make()
        let ended = try await site.fanfare("campaign", "check", "spring")
        #expect(ended.status == 0, "\(ended)")
        #expect(
            ended.output.contains(
                "\nhub news: 2 messages in 1 post\n  fanfare plan --campaign spring shows more.\n"), "\(ended)")
        let end = ended.output.split(separator: "\n").suffix(2)
        #expect(
            end.first?.firstMatch(of: /^hub news: texts in en, fr, largest body \d+ of at most 65,536 bytes$/) != nil,
            "\(ended)")
        #expect(end.last?.contains("fanfare template learn --hub news.") == true, "\(ended)")
    }

    @Test func checkNamesPostsSizesAndOddTagsOfTheAudience() async throws {
        let site = try await Self.make()
        try await site.execute(
            #"""
            SELECT push.learn_templates('news', '{apns}', '{fr}', ARRAY['{"aps":{"alert":"$(title_French)"}}'], '{NULL}',
                                        '{NULL}', '{7}', 10);
            SELECT push.keep_reach('news', 'Scienec', 0, 0, true);
            SELECT push.create_campaign('tags', '{"hubs": ["news"], "audience": {"tags": ["World", "world", "Scienec"]},
                "content": {"en": {"title": "We miss you"}, "fr": {"title": "Vous nous manquez"}}}');
            """#)
        let ended = try await site.fanfare("campaign", "check", "tags")
        #expect(ended.output.contains("\nhub news: on phones: apns 37 of 4,096 bytes (template fr)\n"), "\(ended)")
        #expect(
            ended.output.contains(
                "\nhub news: 3 messages in 2 posts, apart by body 1, repeated tag 1\n  The bodies differ"), "\(ended)")
        #expect(ended.output.contains("warning: hub news: the tags World, world differ in case alone"), "\(ended)")
        #expect(ended.output.matches(of: /Scienec/).count == 1, "what was counted is said once: \(ended)")
        let lint = try await site.fanfare("template", "lint", "--campaign", "tags")
        #expect(
            lint.status == 0
                && lint.output.contains("warning: no device had Scienec when it was counted at the hub on "),
            "\(lint)")
        #expect(lint.output.contains("the tags World, world differ in case alone"), "\(lint)")
        let tag = try await site.fanfare("template", "lint", "--hub", "news", "--tag", "Scienec || World")
        #expect(tag.output.contains("no device had Scienec"), "\(tag)")
    }

    @Test func templatesOfAFileAreHeldAgainstACampaign() async throws {
        let site = try await Self.make()
        let file = try site.scratch.write(
            #"{"aps":{"alert":{"title":"$(titel_English)","body":"$(text_English)"}}}"#, to: "t.json")
        let ended = try await site.fanfare("template", "lint", "--file", file, "--campaign", "spring")
        #expect(ended.status == 0, "\(ended)")
        #expect(ended.output.contains("did you mean title_English?"), "\(ended)")
        #expect(ended.output.contains("no template shows French (fr)"), "\(ended)")
        let hub = try await site.fanfare("template", "lint", "--hub", "news")
        #expect(hub.status == 0 && hub.output.contains("no template of hub news is known"), "\(hub)")
        let nowhere = try await site.fanfare("template", "lint", "--hub", "nws")
        #expect(nowhere.status == 65 && nowhere.errors.contains("Did you mean news?"), "\(nowhere)")
    }
}
