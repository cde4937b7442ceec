import Testing

@testable import Console
@testable import Store

private typealias Fixture = OverviewFixture

/// What the page shows of its rows.
@Suite struct OverviewViewTests {
    @Test func whereAllIsWellThePageSaysSo() {
        let html = Fixture.html(Fixture.rows())
        #expect(html.contains("<span class=\"state good\">All is well, as far as rows tell</span>"))
        #expect(html.contains("<span class=\"state good\">open</span>"))
        #expect(html.contains("No campaign is being sent."))
    }

    @Test func whatCouldNotBeReadIsNotSaidToBeWell() {
        let html = Fixture.html(Fixture.rows { $0.workers = .unread(Trouble("workers", .tookTooLong, "57014")) })
        #expect(html.contains("Nothing is known to be wrong, and not all could be read"))
        #expect(!html.contains("data-part=\"workers\"") && html.contains("data-part=\"hubs\""))
    }

    @Test func aProblemHasItsAgeItsWordsAndWhatToDo() {
        let hub = Fixture.hub {
            ($0.state, $0.why, $0.since) = ("held", "401: the hub refuses the key", Fixture.ago(300))
        }
        let html = Fixture.html(Fixture.rows { $0.hubs = .read([hub]) })
        #expect(html.contains("1 critical"))
        #expect(html.contains("for <time data-age datetime=\"\(Fixture.ago(300))\">5 min</time>"))
        #expect(html.contains("<p>401: the hub refuses the key</p>"))
        #expect(html.contains("fanfare hub resume news"))
    }

    @Test func aHubIsShownWithItsNumbers() {
        let rows = Fixture.rows {
            $0.pulse = .read(Fixture.pulse([Fixture.lane(due: 10_000, more: true, waiting: 120)]))
            $0.minutes = .read([
                MinuteCounts(
                    hub: "news", latest: OverviewFixture.now,
                    minutes: [1: .init(accepted: 7_200, inDoubt: 6), 9: .init(accepted: 1)])
            ])
        }
        let view = OverviewView(rows, HubSelection(), for: Fixture.visit())
        #expect(view.hubs.map(\.hubSent) == ["120"] && view.hubs.map(\.hubFailed) == ["0.1"])
        #expect(view.hubs.map(\.hubDue) == ["10,000+"] && view.hubs.map(\.hubWindow) == ["12/64"])
        #expect(
            view.hubs.map { $0.hubChart?.chartSentCount } == ["7,201"]
                && view.hubs.map { $0.hubChart?.chartFailedCount } == ["6"])
        #expect(view.hubs.first?.hubOldest?.ageText == "2 min")
    }

    @Test func unknownNumbersAreNoZeros() {
        let rows = Fixture.rows {
            $0.pulse = .unread(Trouble("backlog", .tookTooLong, ""))
            $0.minutes = .unread(Trouble("the last hour", .tookTooLong, ""))
        }
        let view = OverviewView(rows, HubSelection(), for: Fixture.visit())
        #expect(view.hubs.map { [$0.hubSent, $0.hubFailed, $0.hubHour, $0.hubDue] } == [["–", "–", "–", "–"]])
    }

    @Test func aRunHasABarItsPaceAndAboutHowLongItTakes() {
        let html = Fixture.html(Fixture.rows { $0.runs = .read([Fixture.run()]) })
        #expect(html.contains("<progress max=\"10000\" value=\"3020\""))
        #expect(html.contains("3,020 of about 10,000 recipients, 120/s, about 50 s left."))
        #expect(html.contains("3,000 accepted, 20 rejected"))
    }

    @Test func aRunOfUnknownSizeHasNoBar() {
        let html = Fixture.html(Fixture.rows { $0.runs = .read([Fixture.run { $0.total = nil }]) })
        #expect(!html.contains("<progress") && html.contains("of how many is not known yet"))
    }

    @Test func manyHubsLeadToAllOfThem() {
        let hubs = (100..<441).map { Fixture.hub("hub-\($0)") }
        let html = Fixture.html(Fixture.rows { $0.hubs = .read(hubs) })
        #expect(html.contains("these 50 of 341 hubs, the worst first"))
        #expect(html.contains("<a href=\"/?all=1\">291 well</a>"))
        let all = Fixture.html(Fixture.rows { $0.hubs = .read(hubs) }, HubSelection(all: true))
        #expect(all.contains("these 200 of 341 hubs, by name") && all.contains("/?all=1&amp;after=hub-299"))
    }

    /// 60 kB are for 20 hubs, also in a busy hour; most of a page are its rows.
    @Test func twentyHubsFitIntoSixtyKilobytes() {
        let hubs = (10..<30).map { number in
            Fixture.hub("hub-\(number)") { ($0.state, $0.why) = ("held", String(repeating: "why ", count: 50)) }
        }
        let busy = Dictionary(
            uniqueKeysWithValues: (0..<60).map { ($0, MinuteCounts.Minute(accepted: Int64(40_000 + 777 * $0 % 9_000))) }
        )
        let rows = Fixture.rows {
            $0.hubs = .read(hubs)
            $0.minutes = .read(hubs.map { MinuteCounts(hub: $0.hub, latest: Fixture.now, minutes: busy) })
        }
        // The frame has some kilobytes, too.
        let bytes = Fixture.html(rows).utf8.count
        #expect(bytes < 55_000, "\(bytes)")
    }

    @Test func hostileWordsAreTextEverywhere() {
        let hostile = "\"><script>alert(1)</script>'&"
        let rows = Fixture.rows {
            $0.hubs = .read([
                Fixture.hub(hostile) {
                    ($0.state, $0.why, $0.note, $0.differing, $0.key) = (hostile, hostile, hostile, hostile, hostile)
                    ($0.kind, $0.speedWhy, $0.tokenExpiresAt, $0.since) = (hostile, hostile, hostile, hostile)
                }
            ])
            $0.workers = .read([
                Fixture.worker(hostile) {
                    ($0.doing, $0.trouble, $0.version, $0.beatAt) = (hostile, hostile, hostile, hostile)
                }
            ])
            $0.runs = .read([
                Fixture.run {
                    ($0.campaign, $0.key, $0.why, $0.unserved) = (hostile, hostile, hostile, [hostile])
                    ($0.state, $0.waitsUntil, $0.waitsFor) = (.paused, hostile, hostile)
                }
            ])
            $0.schedules = .read([.init(campaign: hostile, why: hostile, pausedAt: hostile)])
            $0.failedRuns = .read([.init(campaign: hostile, key: hostile, why: hostile, endedAt: hostile)])
            $0.approvals = .read([
                .init(campaign: hostile, revision: 1, by: hostile, at: hostile, asks: hostile, standing: hostile)
            ])
            $0.snapshots = .read([SnapshotHolder(kind: hostile, holder: hostile, seconds: 9_999, remedy: hostile)])
            $0.findings = .read([DatabaseFindings.locks([hostile]), DatabaseFindings.incidents([hostile])])
            $0.minutes = .read([
                MinuteCounts(hub: hostile, latest: OverviewFixture.now, minutes: [0: .init(rejected: 100)])
            ])
            $0.pulse = .read(
                Fixture.pulse([Fixture.lane(hostile, due: 1, waiting: 999)]) {
                    $0.inDoubt = [.init(hub: hostile, messages: 1)]
                })
        }
        for selection in [HubSelection(), HubSelection(all: true, after: "!")] {
            let html = Fixture.html(rows, selection)
            #expect(!html.contains("<script") && !html.contains("\">'") && html.contains("&lt;script&gt;"))
        }
    }
}
