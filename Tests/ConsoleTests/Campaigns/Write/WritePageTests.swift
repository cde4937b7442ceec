import HTTPServer
import HTTPTypes
import Postgres
import PushModel
import Signing
import Store
import TestSupport
import Testing

@testable import Console

/// The form of a campaign, from the page to the database.
@Suite(.timeLimit(.minutes(10))) struct WritePageTests {
    private static let spec =
        #"{"hubs":["news"],"audience":{"tags":["World"]},"content":{"en":{"title":"Hello {{name|you}}"}}}"#

    private func keep(_ spec: String, as name: String = "spring", on bench: ConsoleBench) async throws {
        try await bench.test.database.execute("SELECT push.create_campaign(\(name), (\(spec))::json, true)")
    }

    private func specs(_ name: String = "spring", on bench: ConsoleBench) async throws -> [String] {
        try await bench.test.texts(
            """
            SELECT r.spec::text FROM push.campaign c JOIN push.campaign_revision r ON r.campaign = c.id
             WHERE c.name = \(name) ORDER BY r.revision
            """)
    }

    private func send(
        _ console: TestConsole, _ address: String, _ page: String, pressing button: String,
        typing typed: [String: String] = [:], adding more: String = ""
    ) async throws -> (status: Int, page: String, to: String?) {
        let body = FilledForm.body(of: page, pressing: button, typing: typed) + more
        let response = try #require(try await console.send(.post, address, Array(body.utf8)))
        return (response.status, String(decoding: response.body, as: UTF8.self), response.headers[.location])
    }

    @Test func aCampaignIsWrittenFromAnEmptyForm() async throws {
        let bench = try await ConsoleBench.make()
        let console = bench.console([.campaigns])
        let empty = try await console.page("/campaigns/new")
        // Without the right to see hubs, their names are typed.
        let typed = ["name": "spring", "hubs": "news", "audience.tags": "World", "rate": "50"]
        let texts = "&language=en&property=title&text=Hello&language=&property=url&text=https%3A%2F%2Fa.b"
        let looked = try await send(console, "/campaigns/new", empty, pressing: "look", typing: typed, adding: texts)
        #expect(looked.status == 200 && looked.page.contains("Nothing is wrong with it."))
        #expect(looked.page.contains("<p class=\"body\" dir=\"auto\">Hello</p>"))
        #expect(try await specs(on: bench) == [])
        #expect(try await bench.test.number("SELECT count(*) FROM push.campaign") == 0)

        let saved = try await send(console, "/campaigns/new", looked.page, pressing: "save")
        #expect(saved.status == 303)
        #expect(
            try await specs(on: bench) == [
                #"{"hubs":["news"],"audience":{"tags":["World"]},"content":{"en":{"title":"Hello"},"":{"url":"https://a.b"}},"rate":50}"#
            ])
        #expect(try await bench.test.texts("SELECT state::text FROM push.campaign") == ["ready"])
        #expect(try await bench.test.texts("SELECT by FROM push.campaign_revision") == ["Ann"])
        #expect(try await bench.test.texts("SELECT person FROM push.audit WHERE action = 'create_campaign'") == ["Ann"])
    }

    /// All look within one second: what was read before is shared, but not by who has changed it.
    @Test func whatWasSavedIsShownAtOnce() async throws {
        let bench = try await ConsoleBench.make()
        try await keep(Self.spec, on: bench)
        let console = TestConsole(
            bench.login.database, person: Person("Ann", rights: [.campaigns]), sharing: Looks { 0 })
        let form = try await console.page("/campaigns/spring/edit")
        let before = try #require(try await console.get("/campaigns/spring"))
        #expect(String(decoding: before.body, as: UTF8.self).contains("Hello "))
        let body = FilledForm.body(of: form, pressing: "draft", typing: ["text": "Good evening"])
        #expect(try await console.send(.post, "/campaigns/spring/edit", Array(body.utf8))?.status == 303)
        let mark = try #require(before.headers[.eTag])
        let after = try #require(try await console.get("/campaigns/spring", headers: [.ifNoneMatch: mark]))
        #expect(after.status == 200 && String(decoding: after.body, as: UTF8.self).contains("Good evening"))
        #expect(try await console.page("/campaigns/spring/edit").contains("Good evening"))
    }

    @Test func hubsAreChosenByWhoMaySeeThem() async throws {
        let bench = try await ConsoleBench.make()
        #expect(
            try await bench.console([.campaigns, .look]).page("/campaigns/new").contains("name=\"hub\" value=\"news\""))
        #expect(try await !bench.console([.campaigns]).page("/campaigns/new").contains("name=\"hub\" value=\"news\""))
    }

    @Test func aDraftIsKeptWithItsProblems() async throws {
        let bench = try await ConsoleBench.make()
        let console = bench.console([.campaigns])
        let empty = try await console.page("/campaigns/new")
        let saved = try await send(
            console, "/campaigns/new", empty, pressing: "draft", typing: ["name": "spring", "rate": "fast"])
        #expect(saved.status == 303)
        #expect(try await specs(on: bench) == [#"{"rate":"fast"}"#])
        #expect(try await bench.test.texts("SELECT state::text FROM push.campaign") == ["draft"])
        let page = try await console.page("/campaigns/spring/edit")
        #expect(page.contains("name=\"rate\" value=\"fast\""))
    }

    @Test(arguments: [
        ("rate", "fast", "f-rate", "not a number from"), ("expires", "soon", "f-expires", "not a length of time"),
        ("canary.share", "2", "f-canary.share", "from 0 to 1"), ("approval", "three", "f-approval", "&quot;one&quot;"),
        ("audience.tags", "a b", "f-audience.tags", "which is not a tag"),
        ("window.zone", "CET", "f-window.zone", "not the name of a time zone"),
        ("name", "Spring", "f-name", "the name of a campaign"),
    ]) func whatTheDatabaseRefusesStandsAtItsField(field: String, text: String, id: String, words: String) async throws
    {
        let bench = try await ConsoleBench.make()
        try await keep(
            String(Self.spec.dropLast()) + #","window":{"from":"08:00","zone":"UTC"},"rate":5}"#, as: "model", on: bench
        )
        let console = bench.console([.campaigns])
        let model = try await console.page("/campaigns/model/edit")
        // The form of a new one, with what the model says.
        let name = try await console.page("/campaigns/new").firstMatch(of: /<input id="f-name"[^>]*>/).map {
            String($0.0)
        }
        let page =
            try #require(name) + model.replacing("name=\"revision\" value=\"1\"", with: "name=\"revision\" value=\"\"")
        for button in ["look", "save"] {
            let answer = try await send(
                console, "/campaigns/new", page, pressing: button,
                typing: ["name": "spring"].merging([field: text]) { $1 })
            #expect(answer.status == (button == "save" ? 422 : 200))
            let tag = try #require(
                answer.page.firstMatch(
                    of: try Regex("<(input|textarea|select) id=\"\(id.replacing(".", with: "\\."))\"[^>]*>")))
            #expect(answer.page[tag.range].contains("aria-invalid=\"true\""), "\(field)")
            #expect(answer.page.contains(words), "\(field)")
            #expect(answer.page.contains(text), "\(field)")
        }
        #expect(try await specs(on: bench) == [])
    }

    @Test func whatTheFormDoesNotKnowStaysAsItWas() async throws {
        let bench = try await ConsoleBench.make()
        let odd = #"{"schedule": "daily 09:00 UTC","canary": {},"rate": 1.50, "later": {"a": [1.0, "\u00e9"]}}"#
        try await keep(odd, on: bench)
        let console = bench.console([.campaigns])
        let page = try await console.page("/campaigns/spring/edit")
        #expect(page.contains("Members that the form does not know") && page.contains("daily 09:00 UTC"))
        #expect(try await send(console, "/campaigns/spring/edit", page, pressing: "draft").status == 303)
        // The same spec is no new revision.
        #expect(try await specs(on: bench) == [odd])
        let changed = try await send(
            console, "/campaigns/spring/edit", page, pressing: "draft", typing: ["approval": "one"])
        #expect(changed.status == 303)
        #expect(
            try await specs(on: bench).last
                == #"{"rate":1.50,"schedule":"daily 09:00 UTC","canary":{},"approval":"one","later":{"a":[1.0,"\u00e9"]}}"#
        )
    }

    @Test func whatSomebodyElseSavedMeanwhileIsShownAndAskedFor() async throws {
        let bench = try await ConsoleBench.make()
        try await keep(Self.spec, on: bench)
        let console = bench.console([.campaigns])
        let page = try await console.page("/campaigns/spring/edit")
        try await keep(Self.spec.replacing("World", with: "<b>Moon"), on: bench)
        let asked = try await send(console, "/campaigns/spring/edit", page, pressing: "draft", typing: ["rate": "7"])
        #expect(asked.status == 409 && asked.page.contains("Somebody else saved revision 2"))
        #expect(asked.page.contains("audience.tags") && asked.page.contains("&lt;b&gt;Moon"))
        #expect(asked.page.contains("Save over revision 2") && asked.page.contains("name=\"rate\" value=\"7\""))
        #expect(try await specs(on: bench).count == 2)
        #expect(try await send(console, "/campaigns/spring/edit", asked.page, pressing: "draft").status == 303)
        #expect(try await specs(on: bench).count == 3)
    }

    @Test func aNewNameThatIsTakenIsAskedFor() async throws {
        let bench = try await ConsoleBench.make()
        try await keep(Self.spec, on: bench)
        let console = bench.console([.campaigns])
        let empty = try await console.page("/campaigns/new")
        let looked = try await send(console, "/campaigns/new", empty, pressing: "look", typing: ["name": "spring"])
        #expect(looked.page.contains("aria-invalid=\"true\"") || looked.page.contains("audience"))
        let asked = try await send(console, "/campaigns/new", empty, pressing: "draft", typing: ["name": "spring"])
        #expect(asked.status == 409 && asked.page.contains("There is a campaign &quot;spring&quot; already"))
        #expect(try await specs(on: bench) == [Self.spec])
        let other = try await send(console, "/campaigns/new", asked.page, pressing: "draft", typing: ["name": "summer"])
        #expect(other.status == 303)
        #expect(try await specs("summer", on: bench) == ["{}"])
        #expect(try await send(console, "/campaigns/new", asked.page, pressing: "draft").status == 303)
        #expect(try await specs(on: bench) == [Self.spec, "{}"])
    }

    /// Its page would have the address of the form.
    @Test func noCampaignHasTheNameOfTheForm() async throws {
        let bench = try await ConsoleBench.make()
        let console = bench.console([.campaigns])
        let typed = ["name": "new", "hubs": "news", "audience.tags": "World"]
        let saved = try await send(
            console, "/campaigns/new", try await console.page("/campaigns/new"), pressing: "draft", typing: typed)
        #expect(saved.status == 422 && saved.page.contains("no campaign is named new"))
        #expect(saved.page.contains(##"href="#f-name""##))
    }

    @Test func twoWhoSaveAtOnceAreAskedOnce() async throws {
        let bench = try await ConsoleBench.make()
        try await keep(Self.spec, on: bench)
        let console = bench.console([.campaigns])
        let page = try await console.page("/campaigns/spring/edit")
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for rate in ["1", "2"] {
                group.addTask {
                    try await send(console, "/campaigns/spring/edit", page, pressing: "draft", typing: ["rate": rate])
                        .status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted()
        }
        #expect(statuses == [303, 409])
        #expect(try await specs(on: bench).count == 2)
    }

    @Test func theSameSpecIsEditedAsJSON() async throws {
        let bench = try await ConsoleBench.make()
        try await keep(Self.spec, on: bench)
        let console = bench.console([.campaigns])
        let page = try await console.page("/campaigns/spring/edit")
        let json = try await send(console, "/campaigns/spring/edit", page, pressing: "json")
        #expect(json.status == 200 && json.page.contains("<textarea id=\"f-spec\""))
        let broken = try await send(
            console, "/campaigns/spring/edit", json.page, pressing: "save", typing: ["spec": "{\"hubs\": [\"news\",]}"])
        #expect(broken.status == 422 && broken.page.contains("line 1, column 18"))
        #expect(broken.page.contains("{&quot;hubs&quot;: [&quot;news&quot;,]}"))
        let wrong = try await send(
            console, "/campaigns/spring/edit", json.page, pressing: "save", typing: ["spec": "{\"hubs\": []}"])
        #expect(wrong.status == 422 && wrong.page.contains("is not a list of hubs"))
        let edited = Self.spec.replacing("Hello", with: "Bye ").replacing(",\"", with: ",\n \"")
        let saved = try await send(
            console, "/campaigns/spring/edit", json.page, pressing: "save", typing: ["spec": edited])
        #expect(saved.status == 303)
        #expect(try await specs(on: bench).last == Self.spec.replacing("Hello", with: "Bye "))
        #expect(
            try await send(console, "/campaigns/spring/edit", json.page, pressing: "form").page.contains(
                "name=\"property\""))
    }

    @Test func placeholdersAreShownWithASampleOfOnesOwn() async throws {
        let bench = try await ConsoleBench.make()
        try await keep(Self.spec, on: bench)
        let console = bench.console([.campaigns])
        let page = try await console.page("/campaigns/spring/edit")
        #expect(page.contains("<p class=\"body\" dir=\"auto\">Hello you</p>") && page.contains("name=\"with.name\""))
        // fr has no text of its own.
        #expect(page.contains("fallback: fr has no text of its own"))
        let looked = try await send(
            console, "/campaigns/spring/edit", page, pressing: "look", typing: ["with.name": "Ada <b>"])
        #expect(looked.page.contains("<p class=\"body\" dir=\"auto\">Hello Ada &lt;b&gt;</p>"))
        #expect(looked.page.contains("name=\"with.name\" value=\"Ada &lt;b&gt;\""))
    }

    @Test func whomTagsReachIsSaidBesideThem() async throws {
        let bench = try await ConsoleBench.make()
        try await keep(Self.spec, on: bench)
        try await bench.test.database.execute("SELECT push.keep_reach('news', 'World', 1204, 2000, true)")
        let console = bench.console([.campaigns])
        let page = try await console.page("/campaigns/spring/edit")
        #expect(page.contains("news: World: 1,204 devices of 2,000"))
        let looked = try await send(
            console, "/campaigns/spring/edit", page, pressing: "look",
            typing: ["audience.tags": "", "audience.expression": "World && !<b>"])
        #expect(!looked.page.contains("1,204 devices"), "no longer asked for")
        let typed = try await send(
            console, "/campaigns/spring/edit", page, pressing: "look",
            typing: ["audience.tags": "", "audience.expression": "(world)"])
        #expect(typed.page.contains("news: World: 1,204 devices of 2,000"))
        let other = try await send(
            console, "/campaigns/spring/edit", page, pressing: "look",
            typing: ["audience.tags": "", "audience.expression": "World && vip"])
        #expect(
            other.page.contains("news: World &amp;&amp; vip has not been counted")
                && other.page.contains("--hub news)"))
    }

    @Test(arguments: [
        (#"{"audience":{"tags":["a","b",7]}}"#, ["a", "b"]), (#"{"audience":{"expression":"a && b"}}"#, ["a && b"]),
        (#"{"audience":{"tags":"a"}}"#, []), (#"{"audience":{"list":"beta"}}"#, []), ("{", []),
        (#"{"audience":{"tags":["","c"]}}"#, ["c"]), ("[]", []),
    ])
    func tagsOfAnAudienceAreReadFromASpec(spec: String, expressions: [String]) {
        #expect(TypedAudience.expressions(in: spec) == expressions)
    }

    @Test func whoMayNotWriteIsRefusedByTheServer() async throws {
        let bench = try await ConsoleBench.make()
        try await keep(Self.spec, on: bench)
        for rights: Set<PersonRight> in [[.look, .operate], [.approve], []] {
            let console = bench.console(rights)
            #expect(try await console.get("/campaigns/spring/edit")?.status == 403)
            #expect(try await console.post("/campaigns/spring/edit", ["do": "save"])?.status == 403)
            #expect(try await console.post("/campaigns/new", ["do": "draft", "name": "a"])?.status == 403)
        }
        var options = ConsoleOptions()
        options.isReadOnly = true
        let console = bench.console([.campaigns], options: options)
        #expect(try await console.get("/campaigns/spring/edit")?.status == 200)
        #expect(try await console.post("/campaigns/spring/edit", ["do": "look"])?.status == 403)
        #expect(try await specs(on: bench).count == 1)
    }

    @Test func anUnknownCampaignIsSaidToBeOne() async throws {
        let console = try await ConsoleBench.make().console([.campaigns])
        let response = try #require(try await console.get("/campaigns/%3Cb%3E/edit"))
        #expect(response.status == 404)
        #expect(String(decoding: response.body, as: UTF8.self).contains("There is no campaign &quot;&lt;b&gt;&quot;."))
        #expect(try await console.post("/campaigns/none/edit", ["do": "save"])?.status == 404)
    }

    @Test func anArchivedCampaignStaysAsItIs() async throws {
        let bench = try await ConsoleBench.make()
        try await keep(Self.spec, on: bench)
        try await bench.test.database.execute("SELECT push.archive_campaign('spring')")
        let console = bench.console([.campaigns])
        let page = try await console.page("/campaigns/spring/edit")
        let refused = try await send(console, "/campaigns/spring/edit", page, pressing: "save", typing: ["rate": "7"])
        #expect(refused.status == 422 && refused.page.contains("archived"))
        #expect(refused.page.contains("name=\"rate\" value=\"7\""))
    }

    /// 40 languages, and nearly as many bytes as a spec may have.
    @Test func aSpecOfAMegabyteIsWritten() async throws {
        let bench = try await ConsoleBench.make()
        let locales = (0..<40).map {
            "\(["de", "es", "it", "pt"][$0 % 4])-x-\(UnicodeScalar(UInt8(97 + $0 / 26)))\(UnicodeScalar(UInt8(97 + $0 % 26)))"
        }
        // Three bytes in a form for each of these.
        let text = String(repeating: "Ж", count: 13_000)
        let spec = SpecText.object([
            ("content", SpecText.object(locales.map { ($0, SpecText.object([("title", SpecText.string(text))])) }))
        ])
        #expect(spec.utf8.count > 1_000_000 && spec.utf8.count < 1_048_576)
        try await keep(spec, on: bench)
        let console = bench.console([.campaigns])
        let page = try await console.page("/campaigns/spring/edit")
        #expect(page.matches(of: /name="language"/).count == 42)
        let encoded = PercentEncoding.encode(text)
        let body = locales.map { "language=\($0)&property=title&text=\(encoded)" }.joined(separator: "&")
        func send(_ more: String) async throws -> Response {
            try #require(try await console.send(.post, "/campaigns/spring/edit", Array((body + more).utf8)))
        }
        #expect(try await send("&approval=one&revision=1&do=draft").status == 303)
        #expect(try await specs(on: bench).last == String(spec.dropLast()) + ",\"approval\":\"one\"}")
        let large = try await send("&revision=2&do=draft&rate=" + String(repeating: "9", count: 60_000))
        #expect(large.status == 422)
        #expect(String(decoding: large.body, as: UTF8.self).contains("more than 1,048,576"))
    }

    @Test func aFormThatIsTooLargeIsRefusedWithWords() async throws {
        let console = try await ConsoleBench.make().console([.campaigns])
        let response = try #require(
            try await console.send(.post, "/campaigns/new", [UInt8](repeating: 97, count: WriteResponder.bodyLimit + 1))
        )
        #expect(response.status == 413)
        #expect(String(decoding: response.body, as: UTF8.self).contains("A form has at most 4 MB"))
    }

    @Test func aDatabaseThatIsAwayLosesNothingThatWasTyped() async throws {
        let bench = try await ConsoleBench.make()
        let console = bench.console([.campaigns])
        let empty = try await console.page("/campaigns/new")
        await bench.login.database.close()
        let answer = try await send(
            console, "/campaigns/new", empty, pressing: "save", typing: ["name": "spring", "rate": "7"])
        #expect(answer.status == 422 && answer.page.contains("Not shown: saving it"))
        #expect(answer.page.contains("name=\"rate\" value=\"7\""))
    }

    @Test func theSameInSQLAndAsACommandRuns() async throws {
        let bench = try await ConsoleBench.make()
        try await keep(Self.spec, on: bench)
        for state in [WriteFixture.state(), WriteFixture.state(campaign: "spring")] {
            try await ElsewhereCheck.run(
                CampaignWritePage.content(of: state, for: WriteFixture.visit).elsewhere, on: bench.test)
        }
    }
}
