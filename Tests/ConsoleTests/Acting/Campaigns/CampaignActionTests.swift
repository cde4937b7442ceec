import HTTPServer
import HTTPTypes
import Postgres
import Store
import TestSupport
import Testing

@testable import Console

/// Actions on campaigns end to end, without a socket: the form, the question, the change in the database, the record.
@Suite(.timeLimit(.minutes(10))) struct CampaignActionTests {
    private func bench(_ members: [String: String] = [:], draft: Bool = false) async throws -> CampaignBench {
        let bench = try await CampaignBench.make()
        try await bench.campaign("spring", members, draft: draft)
        return bench
    }

    private func audit(_ bench: CampaignBench, _ action: String) async throws -> [String] {
        try await bench.test.texts("SELECT person FROM push.audit WHERE action = \(action)")
    }

    // MARK: Testing

    @Test func aTestLeadsToItsRun() async throws {
        let bench = try await bench(["approval": "\"two\""])
        let console = bench.console([.campaigns])
        let fields: KeyValuePairs = ["campaign": "spring", "tags": "team, press", "locale": "fr"]
        let asked = try await console.ask("test-campaign", fields)
        #expect(
            asked.contains("Revision 1 is sent at once to everybody who has the tags team, press, approved or not."))
        #expect(asked.contains("push.test_campaign(&#39;spring&#39;, ARRAY[&#39;team&#39;, &#39;press&#39;]"))
        let record = try await console.act("test-campaign", fields)
        #expect(record.state == .done)
        let key = try #require(try await bench.test.texts("SELECT key FROM push.run").first)
        #expect(record.page == ["campaigns", "spring", "runs", key] && key.hasPrefix("test-"))
        #expect(try await bench.test.texts("SELECT tag FROM push.message ORDER BY tag") == ["press", "team"])
        #expect(try await audit(bench, "test_campaign") == ["Ann"])
    }

    @Test func aDraftIsTestedAndOneWithAMistakeSaysWhereItIs() async throws {
        let bench = try await bench(draft: true)
        let console = bench.console([.campaigns])
        #expect(try await console.act("test-campaign", ["campaign": "spring", "tags": "team"]).state == .done)
        try await bench.campaign("spring", ["onDoubt": "\"maybe\""], draft: true)
        let record = try await console.act("test-campaign", ["campaign": "spring", "tags": "team"])
        guard case .failed(let words, let hint) = record.state else {
            Issue.record("\(record.state)")
            return
        }
        #expect(words.contains("onDoubt is neither") && hint != nil)
        #expect(try await bench.test.number("SELECT count(*) FROM push.run") == 1)
    }

    @Test func aTestSaysTheValuesThatThePhonesSay() async throws {
        let bench = try await bench(
            ["content": #"{"": {"title": "Hi {{name}}"}}"#, "audience": #"{"tags": ["A"]}"#], draft: true)
        // Texts with placeholders go to people, not to tags.
        try await bench.test.database.execute("SELECT push.make_list('beta')")
        try await bench.campaign(
            "spring", ["content": #"{"": {"title": "Hi {{Name}}"}}"#, "audience": #"{"list": "beta"}"#])
        let record = try await bench.console([.campaigns]).act(
            "test-campaign", ["campaign": "spring", "tags": "team", "with.name": "Ada \"x\""])
        #expect(record.state == .done, "\(record.state)")
        #expect(try await bench.test.texts("SELECT content ->> 'name' FROM push.message") == ["Ada \"x\""])
    }

    @Test(arguments: [
        ("tags", "", "Who gets the test?"), ("tags", " , ", "Who gets the test?"),
        ("locale", "no locale", "is no language"), ("revision", "first", "no number of a revision"),
        ("revision", "-1", "no number of a revision"), ("campaign", "", "Which campaign?"),
    ])
    func aTestThatCannotBeReadIsRefusedAtOnce(field: String, text: String, words: String) async throws {
        let console = try await bench().console([.campaigns])
        var pairs = [("campaign", "spring"), ("tags", "team")]
        pairs.removeAll { $0.0 == field }
        pairs.append((field, text))
        let response = try #require(
            try await console.post("/act/test-campaign", fields: pairs.map { (name: $0, value: $1) }))
        #expect(response.status == 422)
        #expect(String(decoding: response.body, as: UTF8.self).contains(words))
    }

    // MARK: Approving

    @Test func anotherPersonApprovesWhatAsksForTwo() async throws {
        let bench = try await bench(["approval": "\"two\""])
        let hash = try await bench.approval(1).hash
        let fields: KeyValuePairs = ["campaign": "spring", "revision": "1", "hash": hash]
        let all: Set<Right> = [.campaigns, .approve]
        // The person who made it has no button, reads why, and gets no further without it.
        for name in ["Ann", "ANN"] {
            let own = bench.console(all, named: name)
            let page = try await own.whole("/campaigns/spring")
            #expect(page.contains("asks for the approval of somebody else: send them"))
            #expect(!page.contains("action=\"/act/approve-revision\""))
            let asked = try await own.ask("approve-revision", fields)
            #expect(asked.contains("You made revision 1") && !asked.contains("name=\"confirmation\""))
        }
        let ben = bench.console(all, named: "Ben")
        #expect(try await ben.whole("/campaigns/spring?revision=1").contains("action=\"/act/approve-revision\""))
        let asked = try await ben.ask("approve-revision", fields)
        #expect(asked.contains("By Ann, at ") && asked.contains("It asks for the approval of somebody else."))
        #expect(asked.contains("content.en.title: nothing → &quot;secret-words&quot;"))
        #expect(asked.contains("The check found") && asked.contains(hash))
        #expect(try await ben.act("approve-revision", fields).state == .done)
        #expect(try await bench.approval(1).standing == "approved by Ben")
        #expect(try await audit(bench, "approve") == ["Ben"])
        #expect(try await ben.ask("approve-revision", fields).contains("It is already approved by Ben."))
    }

    @Test func onlyWhatWasReadIsApproved() async throws {
        let bench = try await bench(["approval": "\"one\""])
        let console = bench.console([.approve], named: "Ben")
        let hash = try await bench.approval(1).hash
        try await bench.test.database.execute("UPDATE push.hub SET fallback = 'fr' WHERE name = 'news'")
        let now = try await bench.approval(1).hash
        #expect(now != hash)
        let asked = try await console.ask("approve-revision", ["campaign": "spring", "revision": "1", "hash": hash])
        #expect(asked.contains("is not what you have read any more: its hash is \(now) now."))
        #expect(!asked.contains("name=\"confirmation\""))
        let without = try #require(
            try await console.post("/act/approve-revision", ["campaign": "spring", "revision": "1"]))
        #expect(without.status == 422)
        #expect(try await bench.approval(1).standing == "not approved")
    }

    @Test func whatWasRejectedIsNotSentUntilItIsApproved() async throws {
        let bench = try await bench()
        let console = bench.console([.approve], named: "Ben")
        let fields: KeyValuePairs = ["campaign": "spring", "revision": "1", "note": "the <link> is wrong"]
        #expect(try await console.ask("reject-revision", fields).contains("Its owner reads: the &lt;link&gt; is wrong"))
        #expect(try await console.act("reject-revision", fields).state == .done)
        #expect(try await bench.approval(1).standing == "rejected by Ben: the <link> is wrong")
        let page = try await console.whole("/campaigns/spring")
        #expect(page.contains("<span class=\"state bad\">rejected by Ben: the &lt;link&gt; is wrong</span>"))
        #expect(!page.contains("the <link>") && !page.contains("action=\"/act/reject-revision\""))
        #expect(try await console.ask("reject-revision", fields).contains("It is already rejected by Ben"))
        let hash = try await bench.approval(1).hash
        let approved = try await console.act(
            "approve-revision", ["campaign": "spring", "revision": "1", "hash": hash])
        #expect(approved.state == .done)
        #expect(try await bench.approval(1).isSent)
    }

    // MARK: Running

    @Test func aRunIsStartedOnceForAKey() async throws {
        let bench = try await bench()
        let console = bench.console([.campaigns], now: 1_800_000_000)
        #expect(try await console.whole("/campaigns/spring").contains("name=\"key\" value=\"2027-01-15\""))
        let fields: KeyValuePairs = ["campaign": "spring", "key": "a/b?<1>"]
        let asked = try await console.ask("run-campaign", fields)
        #expect(asked.contains("Run campaign spring as a/b?&lt;1&gt;?"))
        #expect(asked.contains("Revision 1 by Ann is sent, from now on, once for the key"))
        #expect(asked.contains("Hub news: rows 1"))
        // How many devices a tag means nobody has counted.
        #expect(asked.contains("Type <b>spring</b> to confirm"))
        let record = try await console.act("run-campaign", fields, typing: "spring")
        #expect(record.state == .done && record.page == ["campaigns", "spring", "runs", "a/b?<1>"])
        #expect(try await bench.test.texts("SELECT concat_ws(' ', key, started_by) FROM push.run") == ["a/b?<1> Ann"])
        let again = try await console.ask("run-campaign", fields)
        #expect(again.contains("was used: that run is running, by Ann.") && !again.contains("name=\"confirmation\""))
    }

    @Test func aRunOfFewPeopleNeedsNoTyping() async throws {
        let bench = try await CampaignBench.make()
        try await bench.test.database.script(
            """
            SELECT push.make_list('beta');
            INSERT INTO push.list_member (list, key, tag) SELECT 1, g::text, 'user:' || g FROM generate_series(1, 3) g;
            """)
        try await bench.campaign("spring", ["audience": #"{"list": "beta"}"#])
        let console = bench.console([.campaigns])
        let asked = try await console.ask("run-campaign", ["campaign": "spring", "key": "k"])
        #expect(asked.contains("Hub news: rows 3") && !asked.contains("Type <b>"), "\(asked)")
        #expect(try await console.act("run-campaign", ["campaign": "spring", "key": "k"]).state == .done)
    }

    @Test func whatNobodyApprovedOrIsNotReadyIsNotRun() async throws {
        let bench = try await bench(["approval": "\"one\""])
        let console = bench.console([.campaigns])
        let fields: KeyValuePairs = ["campaign": "spring", "key": "k"]
        #expect(try await console.ask("run-campaign", fields).contains("Nothing is sent: revision 1 is not approved"))
        try await bench.campaign("spring", draft: true)
        #expect(try await console.ask("run-campaign", fields).contains("It is a draft: make it ready first."))
        try await bench.test.database.execute("SELECT push.archive_campaign('spring')")
        #expect(try await console.ask("run-campaign", fields).contains("It was put away: bring it back first."))
        for key in ["", " ", String(repeating: "k", count: 201)] {
            #expect(try await console.post("/act/run-campaign", ["campaign": "spring", "key": key])?.status == 422)
        }
    }

    // MARK: Schedules

    @Test func aScheduleIsShownBeforeItIsKept() async throws {
        let bench = try await bench([
            "schedule": #"{"cron": "0 7 * * *", "zone": "UTC", "jitter": "5 min", "overlap": "queue"}"#
        ])
        let console = bench.console([.campaigns])
        let fields: KeyValuePairs = ["campaign": "spring", "schedule": "weekdays 02:30", "zone": "Europe/Berlin"]
        let asked = try await console.ask("schedule-campaign", fields)
        #expect(asked.contains("At 02:30 on Monday to Friday, Europe/Berlin (cron: 30 2 * * 1-5)."))
        #expect(asked.components(separatedBy: ", which is <time datetime=\"20").count == 6)
        #expect(try await console.act("schedule-campaign", fields).state == .done)
        let kept = "SELECT r.spec ->> 'schedule' FROM push.campaign_revision r WHERE r.revision = 2" as SQL
        let schedule = try #require(try await bench.test.texts(kept).first)
        for member in ["30 2 * * 1-5", "Europe/Berlin", "5 min", "queue"] { #expect(schedule.contains(member)) }
        let same = try await console.act("schedule-campaign", fields)
        #expect(same.changed == 0 && same.remarks == ["It had that schedule already."])
        #expect(try await console.act("unschedule-campaign", ["campaign": "spring"]).state == .done)
        #expect(try await bench.test.number("SELECT count(*) FROM push.campaign_next") == 0)
        #expect(try await bench.test.texts("SELECT DISTINCT by FROM push.campaign_revision") == ["Ann"])
    }

    @Test(arguments: [
        ("", "UTC", "When? Such as weekdays 09:00"), ("sometimes", "UTC", "sometimes"),
        ("every day 09:00", "UTC", "every says nothing here"), ("0 9 * * 8-99", "UTC", "0 9 * * 8-99"),
        ("0 9 30 2 *", "UTC", "February never has a day 30"),
        ("daily 09:00", "", "In which time zone?"), ("daily 09:00", "Europe/Berln", "Europe/Berlin"),
        ("daily 09:00 UTC", "Europe/Berlin", "Two zones are given: UTC and Europe/Berlin."),
        ("<b>daily</b> 09:00", "UTC", "&lt;b&gt;"), (String(repeating: "9", count: 5_000), "UTC", "bytes"),
    ])
    func aScheduleThatCannotBeReadIsRefusedAtOnce(schedule: String, zone: String, words: String) async throws {
        let response = try #require(
            try await bench().console([.campaigns]).post(
                "/act/schedule-campaign", ["campaign": "spring", "schedule": schedule, "zone": zone]))
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 422)
        #expect(page.contains(words) && !page.contains("<b>daily"), "\(page)")
    }

    @Test func aSingleTimeIsShownBeforeItIsKept() async throws {
        let bench = try await bench([
            "schedule": #"{"cron": "0 7 * * *", "zone": "UTC", "jitter": "5 min", "overlap": "queue"}"#
        ])
        let console = bench.console([.campaigns])
        let fields: KeyValuePairs = ["campaign": "spring", "at": "2090-07-03T09:00", "zone": "Europe/Berlin"]
        let asked = try await console.ask("schedule-once", fields)
        let stamp = "<time datetime=\"2090-07-03T07:00:00Z\">2090-07-03 07:00:00 UTC</time>"
        #expect(asked.contains("Once, at Mon 2090-07-03 09:00 +02:00, which is \(stamp)."))
        #expect(try await console.act("schedule-once", fields).state == .done)
        let kept = try await bench.test.texts(
            """
            SELECT concat_ws(' | ', s ->> 'at', s ->> 'zone', s ->> 'jitter', s ->> 'overlap', s ->> 'cron')
              FROM push.campaign_revision r, LATERAL (SELECT r.spec -> 'schedule') o(s) WHERE r.revision = 2
            """)
        #expect(kept == ["2090-07-03 09:00 | Europe/Berlin | 5 min | queue"])
        let page = try await console.page("/campaigns/spring")
        #expect(page.contains("Once, at Mon 2090-07-03 09:00 +02:00, Europe/Berlin"))
        #expect(
            try await console.act("schedule-once", ["campaign": "spring", "at": "2090-07-03T07:00Z"]).changed == 1)
        #expect(
            try await console.ask("schedule-once", ["campaign": "spring", "at": "2020-01-01 00:00", "zone": "UTC"])
                .contains("2020-01-01 00:00:00 UTC</time> is past"))
        let skipped: KeyValuePairs = ["campaign": "spring", "at": "2090-03-26 02:30", "zone": "Europe/Berlin"]
        #expect(try await console.ask("schedule-once", skipped).contains("The clocks skip the time that was typed"))
    }

    @Test(arguments: [
        ("", "UTC", "At which time?"), ("tomorrow", "UTC", "tomorrow is not a time"),
        ("2090-07-03", "UTC", "is not a time"), ("2090-02-30 09:00", "UTC", "is not a day of the calendar"),
        ("2090-07-03 09:00", "", "names no time zone"), ("2090-07-03 09:00", "Europe/Berln", "Europe/Berlin"),
        ("2090-07-03 09:00 UTC", "Europe/Berlin", "two zones are given"), ("<b>9</b>", "UTC", "&lt;b&gt;"),
    ])
    func aSingleTimeThatCannotBeReadIsRefusedAtOnce(at: String, zone: String, words: String) async throws {
        let response = try #require(
            try await bench().console([.campaigns]).post(
                "/act/schedule-once", ["campaign": "spring", "at": at, "zone": zone]))
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 422)
        #expect(page.contains(words) && !page.contains("<b>9"), "\(page)")
    }

    @Test func whatWasTypedBesideAFieldThatCannotBeReadIsKept() async throws {
        let console = try await bench().console([.campaigns])
        let fields: KeyValuePairs = ["campaign": "spring", "schedule": "daily <9>", "zone": "Europe/Berlin"]
        let page = try await console.ask("schedule-campaign", fields)
        #expect(page.contains("name=\"schedule\" value=\"daily &lt;9&gt;\"") && page.contains("aria-invalid=\"true\""))
        #expect(page.contains("<input type=\"hidden\" name=\"zone\" value=\"Europe/Berlin\">"))
        #expect(page.contains("<input type=\"hidden\" name=\"campaign\" value=\"spring\">"))
    }

    @Test func aScheduleIsPausedAndResumedByThePerson() async throws {
        let bench = try await bench(["schedule": "\"daily 09:00 UTC\""])
        let console = bench.console([.campaigns])
        let fields: KeyValuePairs = ["campaign": "spring", "note": "new texts"]
        #expect(
            try await console.ask("schedule-resume", ["campaign": "spring"]).contains("It is not paused (any more)."))
        #expect(try await console.act("schedule-pause", fields).state == .done)
        #expect(
            try await bench.test.texts("SELECT schedule_why FROM push.campaign") == ["paused by Ann: new texts"])
        #expect(try await console.ask("schedule-pause", fields).contains("It is already paused by Ann: new texts."))
        #expect(try await console.act("schedule-resume", ["campaign": "spring"]).state == .done)
        #expect(try await bench.test.number("SELECT count(schedule_paused_at) FROM push.campaign") == 0)
        try await bench.campaign("other")
        #expect(try await console.ask("schedule-pause", ["campaign": "other"]).contains("It has no schedule."))
    }

    // MARK: Putting away

    @Test func aCampaignIsPutAwayAndBroughtBack() async throws {
        let bench = try await bench()
        let console = bench.console([.campaigns])
        let fields: KeyValuePairs = ["campaign": "spring"]
        #expect(
            try await console.ask("unarchive-campaign", fields).contains("It is not put away (any more): it is ready."))
        try await bench.test.database.execute("SELECT push.start_run('spring', 'k')")
        #expect(try await console.ask("archive-campaign", fields).contains("Its run k is running: wait for its end"))
        try await bench.test.database.execute("UPDATE push.run SET state = 'done', ended_at = now()")
        #expect(try await console.act("archive-campaign", fields).state == .done)
        #expect(try await bench.test.texts("SELECT state::text FROM push.campaign") == ["archived"])
        #expect(try await console.ask("archive-campaign", fields).contains("It was put away already."))
        #expect(try await console.act("unarchive-campaign", fields).state == .done)
        #expect(try await bench.test.texts("SELECT state::text FROM push.campaign") == ["ready"])
        #expect(try await audit(bench, "archive_campaign") == ["Ann"])
    }

    // MARK: Rights

    @Test(arguments: ActionBook.all.filter { $0 is any CampaignAction.Type }.map { $0.name })
    func eachActionIsForThoseWhoMay(name: String) async throws {
        let bench = try await bench()
        let action = try #require(ActionBook.action(named: name))
        let fields: KeyValuePairs = [
            "campaign": "spring", "revision": "1", "hash": "x", "tags": "team", "key": "k",
            "schedule": "daily 09:00 UTC", "at": "2090-07-03T09:00Z",
        ]
        for right in Right.allCases {
            let status = try await bench.console([right]).post("/act/\(name)", fields)?.status
            #expect(status == (action.rights.contains(right) ? 200 : 403), "\(right)")
        }
        let isDecision = ["approve-revision", "reject-revision"].contains(name)
        #expect(action.rights == (isDecision ? [.approve] : [.campaigns, .operate]))
    }

    @Test(arguments: ActionBook.all.filter { $0 is any CampaignAction.Type }.map { $0.name })
    func anUnknownCampaignIsSaidToBeOne(name: String) async throws {
        let page = try await bench().console(Set(Right.allCases)).ask(
            name,
            [
                "campaign": LookFixture.evil, "revision": "1", "hash": "x", "tags": "team", "key": "k",
                "schedule": "daily 09:00 UTC", "at": "2090-07-03T09:00Z",
            ])
        #expect(page.contains("No campaign has this name (any more).") && !page.contains("<img src=x"))
    }
}
