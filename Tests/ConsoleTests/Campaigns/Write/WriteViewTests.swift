import Pages
import PushModel
import Store
import Testing

@testable import Console

@Suite struct WriteViewTests {
    private let evil = LookFixture.evil

    private func evilState() throws -> WriteState {
        var post = WritePost()
        post.name = evil
        let text = SpecText.string(evil)
        let spec = """
            {"hubs": [\(text)], "audience": {"tags": [\(text)], "view": \(text)}, "content": {\(text): {\(text): \(text)}},
             "headers": {\(text): \(text)}, "rate": \(text), \(text): {"x": \(text)}, "schedule": \(text), "canary": {"more": \(text)}}
            """
        post.writing = .form(try #require(CampaignForm(spec: try SpecText(spec))))
        post.samples = [WritePost.Sample(name: evil, text: evil)]
        var state = WriteFixture.state(post)
        state.look = SpecLook(
            problems: [
                SpecProblem(path: "rate", words: evil, hint: evil), SpecProblem(path: "content." + text, words: evil),
                SpecProblem(path: "hubs", words: evil), SpecProblem(words: evil),
            ], remarks: [SpecLook.Remark(words: evil, hint: evil)])
        state.conflict = WriteConflict(
            revision: 3, base: 2, changes: [SpecChange(path: evil, before: text, after: nil)])
        return state
    }

    @Test func hostileTextIsText() throws {
        var state = try evilState()
        #expect(!WriteFixture.page(state).contains("<img src=x") && !WriteFixture.page(state).contains("<script>"))
        state.post.writing = .json(evil + "</textarea>" + evil)
        let page = WriteFixture.page(state)
        #expect(!page.contains("<img src=x") && page.contains("&lt;/textarea&gt;"))
    }

    @Test func aProblemStandsAtItsField() throws {
        let page = WriteFixture.page(try evilState())
        let rate = try #require(page.firstMatch(of: /<input id="f-rate"[^>]*>/)).0
        #expect(rate.contains("aria-describedby=\"h-rate p-rate\" aria-invalid=\"true\""))
        #expect(page.contains("<span id=\"p-rate\" data-part=\"p-rate\"><small class=\"state bad\">"))
        #expect(page.contains("<div id=\"p-language-0\" data-part=\"p-language-0\"><p class=\"state bad\">"))
        #expect(page.contains("<div id=\"p-member-hubs\" data-part=\"p-member-hubs\"><p class=\"state bad\">"))
        #expect(page.contains("<a href=\"#f-rate\">"))
    }

    @Test(arguments: [
        ("canary.share", SpecProblem.Place.field(.canaryShare)), ("content.\"en\"", .language(0)),
        ("content.\"en\".title", .language(0)), ("content", .member("content")), ("headers", .member("headers")),
        ("cap", .member("cap")), ("schedule.cron", .member("schedule")), ("colour", .top), ("", .top), ("name", .top),
        ("audience.view", .field(.view)), ("local.zones", .field(.localZones)), ("window.from", .member("window")),
    ]) func everyMemberHasAPlaceForItsProblem(path: String, place: SpecProblem.Place) {
        var form = CampaignForm()
        form.languages = [CampaignForm.Language(locale: "en")]
        form.kept = [CampaignForm.Kept(name: "window", json: "7")]
        #expect(SpecProblem(path: path, words: "").place(in: form) == place)
        #expect(SpecProblem(path: "name", words: "", isOfName: true).place(in: form) == .name)
    }

    @Test func twoEmptyRowsAreAlwaysThereAndMoreOnRequest() throws {
        var post = WritePost()
        let page = WriteFixture.page(WriteFixture.state(post))
        #expect(page.matches(of: /name="language"/).count == 2)
        #expect(page.matches(of: /name="property"/).count == 4)
        post = try WritePost(FilledForm.fields(of: page, pressing: "more"))
        #expect(post.arrange() == nil && post.spare == 6)
        #expect(WriteFixture.page(WriteFixture.state(post)).matches(of: /name="language"/).count == 6)
    }

    @Test func theFirstButtonOfTheFormChangesNothing() throws {
        let page = WriteFixture.page(WriteFixture.state())
        let form = try #require(page.firstRange(of: "id=\"write\""))
        let first = try #require(page[form.upperBound...].firstMatch(of: /<button [^>]*>/)).0
        #expect(first.contains("value=\"look\""))
    }

    @Test func aLostCommitIsNotSaidToBeUndone() {
        var state = WriteFixture.state()
        state.isUncertain = true
        let page = WriteFixture.page(state)
        #expect(page.contains("it is not known whether this was saved") && !page.contains("Not saved."))
    }

    @Test func nothingCanBeSavedWhereTheConsoleOnlyReads() {
        var visit = WriteFixture.visit
        visit.options.isReadOnly = true
        let page = WriteFixture.page(WriteFixture.state(), visit)
        #expect(!page.contains("name=\"do\"") && page.contains("console.readOnly is on"))
    }

    @Test func theSameSpecIsShownAsJSONAndBack() throws {
        var post = try WritePost(FormFields("do=json&rate=1.50&name=spring&revision=3"))
        #expect(post.arrange() == nil)
        #expect(post.writing == .json("{\n  \"rate\": 1.50\n}") && post.base == 3)
        post.deed = .form
        #expect(post.arrange() == nil)
        #expect(try post.spec() == "{\"rate\":1.50}")
        post.writing = .json("{\"rate\": 1,}")
        #expect(post.arrange()?.contains("line 1, column 12") == true)
        #expect(post.writing == .json("{\"rate\": 1,}"))
        post.writing = .json("[]")
        #expect(post.arrange() == WritePost.noForm)
    }

    @Test func whatNoBrowserShowsQuicklyIsEditedAsJSON() throws {
        let rows = (0...WritePost.mostRows).map { ("p\($0)", "\"\"") }
        let spec = SpecText.object([("content", SpecText.object([("en", SpecText.object(rows))]))])
        var post = WritePost(CampaignStore.Written(state: "ready", revision: 1, spec: spec))
        guard case .json = post.writing else {
            Issue.record("it is a form")
            return
        }
        post.deed = .form
        #expect(post.arrange() == WritePost.noForm)
        let many = String(repeating: "hub=a&", count: 4 * WritePost.mostRows + 1)
        #expect(throws: FieldProblem.self) { _ = try WritePost(FormFields(many[...])) }
    }

    @Test func theBaseOfAnotherNameDoesNotCount() throws {
        #expect(try WritePost(FormFields("name=a&revision=3&revisionof=a")).base == 3)
        #expect(try WritePost(FormFields("name=b&revision=3&revisionof=a")).base == nil)
    }

    @Test(
        arguments: [
            ("{}", nil, "Save"), (#"{"schedule":"daily 09:00 UTC"}"#, nil, "Save: the next start sends it"),
            (#"{"schedule":"daily 09:00 UTC"}"#, "two", "Save for approval"),
            (#"{"approval":"one"}"#, nil, "Save for approval"),
        ] as [(String, String?, String)]) func theButtonSaysWhatSavingLeadsTo(
            spec: String, asks: String?, words: String
        ) throws
    {
        let written = asks.map { CampaignStore.Written(state: "ready", revision: 1, spec: "{}", asks: $0) }
        #expect(SaveWords(try SpecText(spec), over: written).button == words)
    }

    @Test func sizesAreCountedAsPeopleAndAsHubsCount() throws {
        let spec = try SpecText(#"{"content":{"en":{"title":"né👩‍👩‍👧"},"":{"a":1}}}"#)
        #expect(
            TextSize.all(of: spec) == [
                TextSize(locale: "en", property: "title", characters: 3, bytes: 21),
                TextSize(locale: "", property: nil, characters: 7, bytes: 7),
            ])
    }

    @Test func changesAreNamedByTheirPaths() throws {
        let before = try SpecText(#"{"rate":1,"content":{"en":{"title":"a"}},"hubs":["x"],"pack":true}"#)
        let after = try SpecText(#"{"content":{"en":{"title":"\u0061","body":"b"}},"rate":2,"hubs":["x","y"]}"#)
        #expect(
            SpecChange.all(from: before, to: after) == [
                SpecChange(path: "content.en.body", before: nil, after: "\"b\""),
                SpecChange(path: "hubs", before: "[\"x\"]", after: "[\"x\",\"y\"]"),
                SpecChange(path: "pack", before: "true", after: nil), SpecChange(path: "rate", before: "1", after: "2"),
            ])
    }
}
