import Pages
import PushModel
import Testing

@testable import Console
@testable import Store

/// Rows in, view out: without a database, with names that are hostile.
@Suite struct CampaignViewTests {
    private let evil = LookFixture.evil

    private func visit(_ rights: Set<Right> = [.campaigns, .approve], named name: String = "Ann") -> Visit {
        Visit(person: Person(name, rights: rights), options: ConsoleOptions(), now: 1_800_000_000)
    }

    private func campaign(_ change: (inout CampaignStore.Campaign) -> Void = { _ in }) -> CampaignStore.Campaign {
        var campaign = CampaignStore.Campaign(name: evil, state: "ready", revision: 2, runs: 0)
        change(&campaign)
        return campaign
    }

    private func approval(
        _ revision: Int32 = 2, asks: String = "one", standing: String? = "not approved", isSent: Bool = false,
        base: Int32? = 1, by: String = "Bob"
    ) -> CampaignStore.Approval {
        CampaignStore.Approval(
            revision: revision, by: by, at: "2027-01-15T07:00:00Z", asks: asks, standing: standing, isSent: isSent,
            base: base, hash: "abc")
    }

    private func rows(_ changes: [CampaignStore.Change] = []) -> CampaignRows {
        var hub = HubSettings(name: evil)
        hub.languages = ["en": "English", "fr": "French"]
        hub.fallback = "en"
        let content = RunContent(id: 1, format: "template", texts: ["en": "{\"title\": \(jsonText(evil))}"])
        var rows = CampaignRows(campaign: .read(campaign()))
        rows.revisions = .read([approval(by: evil), approval(1, standing: "approved by \(evil)", isSent: true)])
        rows.changes = .read(changes)
        rows.forecast = .read(
            CampaignForecast(
                findings: Attempt(value: [.init("warning", evil, evil, hint: evil)]),
                plan: Attempt(
                    value: CampaignPlan(
                        hubs: [
                            .init(
                                name: evil, nature: evil, facts: [.init(title: evil, value: evil)], messages: 1,
                                isCounted: true)
                        ], notes: [evil]))))
        rows.texts = .read(Attempt(value: [CampaignTexts(hub: hub, content: content, templates: [])]))
        rows.schedule = .read(
            CampaignStore.ScheduleInForce(schedule: Schedules.Text(cron: evil, zone: evil), pausedAt: nil, why: evil))
        return rows
    }

    private func jsonText(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private func html(_ rows: CampaignRows, _ query: String = "", for visit: Visit) throws -> String {
        let page = try #require(CampaignPage(path: ["campaigns", evil], fields: FormFields(query[...])))
        return ConsoleTemplates.page(page.content(of: rows, for: visit), at: .campaigns, for: visit)
    }

    @Test func hostileNamesAreTextEverywhere() throws {
        let page = try html(
            rows([.init(path: evil, before: evil, after: String(repeating: evil, count: 9))]),
            "with.name=\(evil)&locale=\(evil)", for: visit(named: evil))
        #expect(!page.contains("<img src=x") && !page.contains("<script>window"))
        #expect(page.contains("&lt;script&gt;"))
        let calm = try html(rows(), for: visit(named: evil))
        #expect(!calm.contains("<img src=x") && calm.contains("aria-label=\"iPhone · fr\""))
    }

    @Test func longValuesAreFolded() {
        let long = String(repeating: "x", count: 1_000)
        let changes = (0..<250).map { CampaignStore.Change(path: "p\($0)", before: nil, after: long) }
        let view = CampaignRevisionView(campaign(), approval(), among: [approval()], changes, for: visit())
        #expect(view.changes.count == 200 && view.changesMore == "50")
        #expect(view.changes[0].changeAfter?.valueBeginning?.hasSuffix("… (1,000 characters)") == true)
        #expect(view.changes[0].changeBefore == nil)
        #expect(view.changesHeading == "Changed since revision 1:")
    }

    @Test func aDecisionIsOfferedOnlyToThoseWhoCanMakeIt() {
        func reading(_ approval: CampaignStore.Approval, _ name: String = "Ann", state: String = "ready") -> String {
            let reading = RevisionApproval(
                approval, of: campaign { $0.state = state }, by: Person(name, rights: [.approve]))
            return "\(reading.canApprove ? "a" : "-")\(reading.canReject ? "r" : "-")\(reading.note == nil ? "-" : "n")"
        }
        #expect(reading(approval()) == "ar-")
        #expect(reading(approval(), "bob") == "ar-")
        #expect(reading(approval(asks: "two"), "bob") == "-rn")
        #expect(reading(approval(asks: "two")) == "ar-")
        #expect(reading(approval(standing: "approved by Ann")) == "-r-")
        #expect(reading(approval(standing: "approved by Ann, and then fallback of hub news changed")) == "ar-")
        #expect(reading(approval(standing: "rejected by Ann")) == "a--")
        #expect(reading(approval(asks: "none", standing: nil)) == "-r-")
        #expect(reading(approval(asks: "none", standing: "rejected by Ann")) == "a--")
        #expect(reading(approval(), state: "archived") == "---")
    }

    @Test func theWorstIsFoundFirst() throws {
        let findings = ["info", "warning", "error", "info"].enumerated().map {
            CampaignStore.Finding($1, "a\($0)", "f", hint: nil)
        }
        let view = try #require(
            CampaignForecastView(.read(CampaignForecast(findings: Attempt(value: findings)))))
        #expect(view.findings.map(\.findingAbout) == ["a2", "a1", "a0", "a3"])
        #expect(view.findings.map(\.findingLook) == ["bad", "waits", "off", "off"])
    }

    @Test func aForecastThatTakesItsTimeIsNoTrouble() throws {
        var rows = CampaignRows(campaign: .read(campaign()))
        rows.forecast = .unread(Trouble(CampaignReading.forecast, .tookTooLong, "no answer"))
        #expect(rows.troubles == [])
        #expect(try #require(rows.forecast.flatMap { CampaignForecastView($0) }).isPending)
        rows.forecast = .unread(Trouble(CampaignReading.forecast, .away, "gone"))
        #expect(rows.troubles.count == 1 && rows.forecast.flatMap { CampaignForecastView($0) } == nil)
    }

    @Test func whatNobodyWouldSeeComesFirst() throws {
        let full = PreviewTemplate(.apns, "full", #"{"aps": {"alert": "$(title)"}}"#)
        let empty = PreviewTemplate(.apns, "empty", #"{"aps": {"alert": "$(nothing)"}}"#)
        var hub = HubSettings(name: "news")
        hub.localization = .tags
        let content = RunContent(id: 1, format: "template", texts: ["": #"{"title": "x"}"#])
        let view = CampaignPhonesView(
            Attempt(value: [CampaignTexts(hub: hub, content: content, templates: [full, empty])]),
            PhoneForm(FormFields(""), placeholders: []), address: "/campaigns/spring")
        let phones = try #require(view.phoneHubs.first).phones
        #expect(phones.map(\.hasFaults) == [true, false])
        #expect(phones[0].phoneFaults.first?.hasPrefix("Empty") == true)
        #expect(phones[0].phoneScreen.cards[0].cardIsEmpty)
    }

    @Test func moreThanSixtyPhonesAreNotDrawn() throws {
        let content = RunContent(
            id: 1, format: "template",
            texts: Dictionary(
                uniqueKeysWithValues: (0..<26).map { ("a\(Character(UnicodeScalar(97 + $0)!))", #"{"title": "x"}"#) }))
        let hubs = ["one", "two"].map { name in
            var hub = HubSettings(name: name)
            hub.localization = .tags
            return CampaignTexts(hub: hub, content: content, templates: [])
        }
        let view = CampaignPhonesView(
            Attempt(value: hubs), PhoneForm(FormFields(""), placeholders: []), address: "/campaigns/spring")
        #expect(view.phoneHubs.map(\.phones.count) == [52, 8] && view.phonesOmitted == "44")
    }

    @Test func sampleValuesAreFieldsOfTheAddress() {
        let form = PhoneForm(
            FormFields("with.NAME=Ada+L&with.other=1&revision=2"), placeholders: ["Name", "name", "City"])
        #expect(form.form.isReadable)
        #expect(
            form.form.fields.map(\.name) == ["revision", "locale", "platform", "with.city", "with.name", "with.other"])
        #expect(form.form.fields.map(\.label).suffix(3) == ["{{City}}", "{{Name}}", "{{other}}"])
        #expect(form.samples.json == #"{"name":"Ada L","other":"1"}"#)
        let many = (1...30).map { "with.v\($0)=x" }.joined(separator: "&")
        #expect(SampleValues(FormFields(many[...])).fields.count == 20)
    }

    @Test func aScheduleThatThisMachineCannotReadIsSaidToBeOne() {
        let view = CampaignScheduleView(
            campaign(), .init(schedule: Schedules.Text(cron: "0 9 * * *", zone: "Mars/Base")), at: 0)
        #expect(view.scheduleProblem?.contains("Mars/Base") == true && !view.hasTimes)
        #expect(view.scheduleWords == "0 9 * * * Mars/Base")
    }

    @Test func aRunOfUnknownReachIsNotSmall() {
        func plan(_ messages: Int, isCounted: Bool = true, devices: Int64? = nil) -> CampaignPlan {
            CampaignPlan(
                hubs: [
                    .init(
                        name: "news", nature: "", facts: [], messages: messages, isCounted: isCounted, devices: devices)
                ])
        }
        #expect(RunReach.isSmall(plan(1_000)) && RunReach.isSmall(plan(1, devices: 900)))
        #expect(!RunReach.isSmall(plan(1_001)) && !RunReach.isSmall(plan(1, devices: 1_001)))
        #expect(!RunReach.isSmall(plan(1, isCounted: false)) && !RunReach.isSmall(nil))
        #expect(!RunReach.isSmall(CampaignPlan(hubs: [])))
    }
}
