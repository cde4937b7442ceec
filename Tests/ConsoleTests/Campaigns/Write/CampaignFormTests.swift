import Pages
import PushModel
import Signing
import Testing

@testable import Console

@Suite struct CampaignFormTests {
    private func form(_ spec: String) throws -> CampaignForm { try #require(CampaignForm(spec: try SpecText(spec))) }

    @Test func aSpecBecomesAFormAndTheSameSpecAgain() throws {
        var random = RandomSpec(random: SeededRandom(seed: 41))
        var taken = 0
        for _ in 0..<500 {
            let spec = try SpecText(random.spec())
            guard let form = CampaignForm(spec: spec) else { continue }
            let again = try SpecText(form.spec)
            #expect(spec.root.isSame(as: again.root), "\(spec.compact(spec.root)) became \(form.spec)")
            #expect(CampaignForm(spec: again) == form)
            taken += (spec.root.members?.count ?? 0) - form.kept.count
        }
        // Not all of them were kept as JSON.
        #expect(taken > 800)
    }

    @Test func aFormBecomesASpecAndTheSameFormAgain() throws {
        var random = RandomSpec(random: SeededRandom(seed: 42))
        for _ in 0..<500 {
            let form = random.form()
            #expect(CampaignForm(spec: try SpecText(form.spec)) == form, "\(form.spec)")
        }
    }

    /// What a browser sends of the page is what the page was made of.
    @Test func aFormComesBackFromABrowserAsItWas() throws {
        var random = RandomSpec(random: SeededRandom(seed: 43))
        for _ in 0..<15 {
            let spec = try SpecText(random.spec())
            guard let form = CampaignForm(spec: spec) else { continue }
            var post = WritePost()
            post.writing = .form(form)
            let page = WriteFixture.page(WriteFixture.state(post))
            let sent = try WritePost(FilledForm.fields(of: page))
            #expect(sent.writing == .form(form))
            guard case .form(let back) = sent.writing else { continue }
            #expect(try spec.root.isSame(as: SpecText(back.spec).root))
        }
    }

    @Test func aWholeSpecStandsInFields() throws {
        let form = try form(
            """
            {"hubs": ["news", "eu"], "audience": {"tags": ["World", "a:b"]}, "format": "template",
             "content": {"en": {"title": "Hello", "body": "{{name|you}}"}, "": {"url": "https://example.com"}},
             "headers": {"apns-priority": "5"}, "rate": 2000, "priority": 1, "pack": false, "expires": "6 h",
             "canary": {"share": 0.01, "then": "ask"}, "local": {"time": "09:00", "zones": ["Europe/Berlin", "UTC"]},
             "cap": {"count": 3, "days": 7, "group": "marketing"}, "approval": "two"}
            """)
        #expect(form.kept.isEmpty && form.hubs == ["news", "eu"])
        #expect(form.fields[.tags] == "World\na:b" && form.fields[.rate] == "2000" && form.fields[.pack] == "false")
        #expect(form.fields[.canaryShare] == "0.01" && form.fields[.localZones] == "Europe/Berlin\nUTC")
        #expect(form.languages.map(\.locale) == ["en", ""])
        #expect(form.languages[0].rows[1] == CampaignForm.Row(name: "body", text: "{{name|you}}"))
        #expect(form.headers == [CampaignForm.Row(name: "apns-priority", text: "5")])
    }

    @Test(arguments: [
        ("content", #"{"en":{"n":1}}"#), ("content", #"{"en":{"t":"a\r\nb"}}"#), ("content", "{}"), ("canary", "{}"),
        ("canary", #"{"share":0.1,"more":1}"#), ("rate", #""2000""#), ("rate", "null"), ("hubs", "[]"),
        ("hubs", #"["a","a"]"#), ("audience", #"{"broadcast":false,"tags":[1]}"#), ("audience", #"{"tags":[]}"#),
        ("expires", "90"), ("schedule", #""daily 09:00 UTC""#), ("unknown", #"{"a":[1.50,"\u00e9"]}"#),
        ("format", "7"), ("headers", "{}"), ("local", #"{"zones":["audience"]}"#), ("pack", #""true""#),
    ]) func whatNoFieldCanShowIsKeptAsItWas(name: String, json: String) throws {
        let form = try form("{\"\(name)\": \(json), \"approval\": \"one\"}")
        #expect(form.kept == [CampaignForm.Kept(name: name, json: json)])
        #expect(form.fields == [.approval: "one"])
        #expect(form.spec.contains("\"\(name)\":\(json)"))
    }

    @Test(arguments: ["[]", "7", "null", #"{"rate":1,"rate":2}"#]) func whatIsNoFormStaysJSON(spec: String) throws {
        #expect(CampaignForm(spec: try SpecText(spec)) == nil)
    }

    /// PostgreSQL refuses it by its name, and what was typed is there to be mended.
    @Test func aRateThatIsNoNumberIsKeptAsItWasTyped() throws {
        let form = try CampaignForm(FormFields("rate=+fast+&canary.share=0%2C01&spread="))
        #expect(form.spec == #"{"rate":"fast","canary":{"share":"0,01"}}"#)
        #expect(try self.form(form.spec) == form)
    }

    @Test func aPayloadIsJSONOrXML() throws {
        let sent: Substring =
            "format=apple&language=&payload=%7B%22aps%22%3A%20%7B%22badge%22%3A%201.0%7D%7D&language=fr&payload=%3Ctoast%2F%3E"
        let form = try CampaignForm(FormFields(sent))
        #expect(form.spec == #"{"content":{"":{"aps":{"badge":1.0}},"fr":"<toast/>"},"format":"apple"}"#)
        #expect(form.payloadProblems.isEmpty)
        let broken = try CampaignForm(FormFields("format=apple&language=en&payload=%7B%22aps%22%3A+1%2C%0A%7D"))
        #expect(broken.payloadProblems[0]?.contains("line 2, column 1") == true)
    }

    @Test func whatTheFormKeptMustComeBackWhole() throws {
        #expect(throws: FieldProblem.self) { _ = try CampaignForm(FormFields("kept=%7Bhalf")) }
        #expect(throws: FieldProblem.self) { _ = try CampaignForm(FormFields("kept=%5B%5D")) }
    }

    @Test func hostileOrdersOfFieldsLoseNothingElse() throws {
        let form = try CampaignForm(
            FormFields("text=lost&payload=lost&headertext=lost&property=a&text=b&hubs=x,y%20x&nosuch=1"))
        #expect(form.languages == [CampaignForm.Language(rows: [CampaignForm.Row(name: "a", text: "b")])])
        #expect(form.hubs == ["x", "y"] && form.headers.isEmpty)
    }
}

@Suite struct SpecTextTests {
    @Test func whiteSpaceIsAllThatIsLost() throws {
        let json = try SpecText(" {\"a b\" : [ 1.0 , \"x \\\" \\\\\" ,{ } ],\n\t\"c\":\"\\u00e9\"}\r\n")
        #expect(json.compact(json.root) == #"{"a b":[1.0,"x \" \\",{}],"c":"\u00e9"}"#)
        let pretty = try SpecText(json.pretty(json.root))
        #expect(pretty.compact(pretty.root) == json.compact(json.root))
        #expect(json.pretty(json.root).hasPrefix("{\n  \"a b\": [\n    1.0,\n"))
    }

    @Test func aFaultSaysWhereItIs() {
        #expect(throws: SpecFault.self) { _ = try SpecText("{\n  \"a\": 1,\n}") }
        do throws(SpecFault) {
            _ = try SpecText("{\n  \"a\": 1,\n}")
        } catch {
            #expect(error.words.contains("line 3, column 1"))
        }
    }

    @Test func deepNestingIsRefusedAndNotACrash() {
        #expect(throws: SpecFault.self) { _ = try SpecText(String(repeating: "[", count: 100_000)) }
    }
}
