import Pages
import Postgres
import Testing

@testable import Console
@testable import Store

/// What the list of campaigns shows of its rows.
@Suite struct CampaignsViewTests {
    private let evil = LookFixture.evil

    private func visit(_ rights: Set<Right> = Set(Right.allCases), readOnly: Bool = false) -> Visit {
        var options = ConsoleOptions()
        options.isReadOnly = readOnly
        return Visit(person: Person("Ann", rights: rights), options: options, now: 1_800_000_000)
    }

    private func line(_ change: (inout CampaignStore.Line) -> Void = { _ in }) -> CampaignStore.Line {
        var line = CampaignStore.Line(
            campaign: CampaignStore.Campaign(name: "spring", state: "ready", revision: 3, runs: 1))
        change(&line)
        return line
    }

    private func unapproved(asks: String = "one", by: String = "Ben", standing: String? = "not approved")
        -> CampaignStore.Unapproved
    {
        CampaignStore.Unapproved(
            campaign: "spring", revision: 3, by: by, at: "2027-01-01T00:00:00Z", asks: asks, standing: standing)
    }

    @Test func whatPeopleWroteIsTextEverywhere() {
        let at = Timestamp(secondsSince1970: 1_800_000_000)
        let start = CampaignStore.Start(campaign: evil, at: at, local: evil, zone: evil)
        let line = line {
            $0.campaign.name = evil
            $0.campaign.state = evil
            $0.campaign.tags = [evil]
            ($0.campaign.lastRun, $0.campaign.runState, $0.campaign.why) = (evil, .running, evil)
            ($0.campaign.unapproved, $0.campaign.scheduleWhy, $0.campaign.schedulePausedAt) = (evil, evil, evil)
            $0.awaited = unapproved(by: evil, standing: evil)
            $0.starts = [start, start]
        }
        let page = CampaignsPage(path: ["campaigns"], fields: FormFields("name=\"><script>"))
        let rows = CampaignsPage.Rows(lines: .read([line]), ahead: .read([start]))
        let content = page?.content(of: rows, for: visit())
        let html = content.map { ConsoleTemplates.page($0, at: .campaigns, for: visit()) } ?? ""
        #expect(html.contains("&lt;img src=x"))
        #expect(!html.contains("<img src=x") && !html.contains("<script>window") && !html.contains("\"><script>"))
    }

    @Test(
        arguments: [
            ("one", "Ben", "not approved", true, AwaitedApproval.yours), ("one", "Ann", "not approved", true, .yours),
            ("two", "Ann", "not approved", true, .anothers), ("two", "Ben", nil, true, .yours),
            ("one", "Ben", "not approved", false, .anothers), ("one", "Ben", "rejected by Cy: no", true, .owners),
        ] as [(String, String, String?, Bool, AwaitedApproval)])
    func whoseTurnItIsFollowsFromWhoMadeIt(
        asks: String, by: String, standing: String?, approves: Bool, turn: AwaitedApproval
    ) {
        let revision = unapproved(asks: asks, by: by, standing: standing)
        #expect(AwaitedApproval(revision, for: "Ann", approves: approves) == turn)
    }

    @Test func aCampaignThatIsSentWaitsForNobody() {
        #expect(CampaignLineView(line(), for: visit()).lineApproval == nil)
        let unknown = CampaignLineView(line { $0.campaign.unapproved = "revision 3 is not approved" }, for: visit())
        #expect(unknown.lineApproval?.approvalWords == "not approved")
    }

    @Test func theWeekIsShownByDay() {
        func start(_ seconds: Double) -> CampaignStore.Start {
            CampaignStore.Start(
                campaign: "c", at: Timestamp(secondsSince1970: seconds), local: "local", zone: "Asia/Tokyo")
        }
        // 2027-01-15T08:00:00Z, a Friday.
        let view = WeekAheadView(
            [start(1_800_000_000), start(1_800_000_000 + 57_599), start(1_800_000_000 + 57_600)], for: visit())
        #expect(view.days.map(\.dayName) == ["Fri 2027-01-15", "Sat 2027-01-16"])
        #expect(view.days.map(\.dayStarts.count) == [2, 1])
        let many = WeekAheadView((0...200).map { start(1_800_000_000 + Double($0)) }, for: visit())
        #expect(many.days.map(\.dayStarts.count) == [200] && many.aheadWords.contains("There are more"))
        #expect(!WeekAheadView([], for: visit()).hasDays)
        #expect(!WeekAheadView([start(.infinity)], for: visit()).hasDays)
    }

    @Test func thePageSaysOfWhatItIs() {
        #expect(CampaignsView.words(50, hasMore: true, after: nil) == "The first 50 campaigns by name.")
        #expect(CampaignsView.words(7, hasMore: false, after: "c") == "7 campaigns behind \"c\", the last ones.")
        #expect(CampaignsView.words(0, hasMore: false, after: nil) == "No campaign with these filters.")
    }

    /// No link leads to a page that this console does not have.
    @Test func aNewCampaignIsOfferedWhereItCanBeWritten() {
        let search = CampaignFilter(FormFields(""))
        let rows = CampaignsPage.Rows(lines: .read([line()]), ahead: .read([]))
        let isThere = Router.page(at: ["campaigns", "new"], FormFields("")) != nil
        #expect((CampaignsView(search, rows, for: visit()).newAddress != nil) == isThere)
        #expect(CampaignsView(search, rows, for: visit([.look, .approve])).newAddress == nil)
        #expect(CampaignsView(search, rows, for: visit(readOnly: true)).newAddress == nil)
    }
}
