import Pages
import Postgres
import PushModel
import Testing

@testable import Console
@testable import Store

private typealias Fixture = OverviewFixture

/// What the page of a run shows of its rows.
@Suite struct RunViewTests {
    private let run = RunReference(campaign: "spring", key: "k")

    private func visit(_ rights: Set<Right> = Set(Right.allCases)) -> Visit {
        Visit(person: Person("Ann", rights: rights), options: ConsoleOptions(), now: Fixture.now)
    }

    private func content(_ run: RunReference, _ progress: RunProgress, _ rows: RunRows) -> PageContent? {
        RunPage(path: run.page, fields: FormFields(""))?.content(
            of: RunPage.Rows(progress: .read(progress), parts: rows), for: visit())
    }

    @Test func whatPeopleAndHubsWroteIsTextEverywhere() throws {
        let evil = LookFixture.evil
        let at = Timestamp(secondsSince1970: Fixture.now)
        var bounds = RunBounds()
        (bounds.canary, bounds.window, bounds.stopWhen) = (evil, evil, evil)
        let rows = RunRows(
            hubs: .read([RunHub(hub: evil, workers: 0, expanded: 1, isExpanded: false)]),
            failures: .read([RunFailure(status: evil, reason: evil, messages: 1, example: 7, note: evil)]),
            bounds: .read(bounds),
            zones: .read([RunZone(zone: evil, standsIn: true, opens: at, expanded: 1, isExpanded: true)]),
            minutes: .read([RunMinute(minute: at, made: 1)]))
        let progress = Fixture.run {
            ($0.campaign, $0.key, $0.why, $0.startedBy, $0.unserved) = (evil, evil, evil, evil, [evil])
            ($0.doubleKey, $0.doubleExample, $0.inDoubt) = (1, evil, 1)
        }
        let page = try #require(content(RunReference(campaign: evil, key: evil), progress, rows))
        let html = ConsoleTemplates.page(page, at: .campaigns, for: visit())
        #expect(html.contains("&lt;img src=x") && html.contains("data-part=\"zones\"") && html.contains("resolve-run"))
        #expect(!html.contains("<img src=x") && !html.contains("<script>window"))
        let unknown = RunPage(path: ["campaigns", evil, "runs", evil], fields: FormFields(""))?.content(
            of: RunPage.Rows(progress: .read(nil), newest: .read((true, evil))), for: visit())
        let missing = ConsoleTemplates.page(try #require(unknown), at: .campaigns, for: visit())
        #expect(unknown?.status == 404 && missing.contains("&lt;img") && !missing.contains("<img src=x"))
    }

    @Test func theNumbersAddUpToAllRecipients() {
        let progress = Fixture.run {
            ($0.total, $0.neverMade, $0.suppressed, $0.capped) = (10_000, 5_900, 60, 40)
            ($0.unknownZone, $0.expired) = (0, 0)
        }
        let counts = RunCountsView(progress, for: visit()).counts
        let sum = counts.reduce(0) { $0 + (Int($1.countNumber.replacing(",", with: "")) ?? 0) }
        #expect(sum == 10_000)
        #expect(counts.map(\.countName).contains("capped") && !counts.map(\.countName).contains("passed"))
        #expect(
            RunCountsView(Fixture.run(), for: visit()).counts.first { $0.countName == "not made yet" }?.countNumber
                == "not known")
    }

    /// A key says who a recipient is.
    @Test func theKeyOfARecipientIsForThoseWhoKeepAudiences() {
        let progress = Fixture.run { ($0.doubleKey, $0.doubleExample) = (2, "anna@example.com") }
        func words(_ rights: Set<Right>) -> String {
            RunCountsView(progress, for: visit(rights)).counts.map(\.countWords).joined()
        }
        #expect(words([.campaigns]).contains("anna@example.com"))
        #expect(!words([.look, .approve]).contains("anna@example.com"))
    }

    @Test func aRunThatIsOpenIsAskedForEveryTwoSeconds() {
        let rows = RunRows(hubs: .read([]), failures: .read([]))
        func seconds(_ change: (inout RunProgress) -> Void) -> Int? {
            content(run, Fixture.run(change), rows)?.liveSeconds
        }
        #expect(seconds { $0.state = .paused } == 2)
        #expect(seconds { ($0.state, $0.pending, $0.underWay) = (.done, 0, 0) } == 5)
        // Its time is up, and what was made is still sent.
        #expect(seconds { ($0.state, $0.pending) = (.expired, 3) } == 2)
    }

    @Test func anHourOfMinutesEndsWithTheLastMessage() throws {
        #expect(RunMinutesView([]) == nil)
        #expect(
            RunMinutesView([RunMinute(minute: Timestamp(secondsSince1970: 0), made: 5)]).map { $0.minutesChart == nil }
                == true)
        let yesterday = Timestamp(secondsSince1970: Fixture.now - 86_400)
        let view = try #require(
            RunMinutesView([RunMinute(minute: yesterday, made: 100, accepted: 60, failed: 5, inDoubt: 2, cancelled: 1)])
        )
        #expect(view.minutesChart?.chartSentCount == "60" && view.minutesChart?.chartFailedCount == "7")
        #expect(view.minutes.map(\.minuteOpen) == ["32"] && view.minutesCount == "1 minute")
    }

    @Test func theCanaryIsJudgedOrWaits() {
        var bounds = RunBounds()
        #expect(RunBoundsView(bounds, state: .running, at: Fixture.now) == nil)
        bounds.canary = "{}"
        bounds.canarySize = 500
        #expect(
            RunBoundsView(bounds, state: .canary, at: Fixture.now)?.boundsCanaryState
                == "500 recipients first; the rest waits for their results")
        bounds.canaryJudgedAt = Timestamp(secondsSince1970: Fixture.now - 60)
        let judged = RunBoundsView(bounds, state: .running, at: Fixture.now)
        #expect(judged?.boundsCanaryState == "500 recipients first; judged" && judged?.boundsCanaryJudged != nil)
    }

    @Test func aLongListOfTimeZonesIsCut() {
        let zones = (0..<250).map {
            RunZone(
                zone: "z\($0)", standsIn: false, opens: .infinity, expanded: 0, isExpanded: $0 < 10)
        }
        let view = RunZonesView(zones, at: Fixture.now)
        #expect(view?.zones.count == RunZonesView.most)
        #expect(view?.zonesWords == "10 of 250 time zones are made. 50 more are not listed.")
    }
}
