import CommandLineTool
import Testing

@testable import Store
@testable import fanfare

/// What the commands about campaigns answer.
@Suite struct CampaignReportTests {
    private static func run(inDoubt: Int64 = 0) -> RunProgress {
        RunProgress(
            campaign: "spring", key: "k1", state: .done, why: nil, expanded: 10, total: 10, isExpanded: true,
            accepted: 10 - inDoubt, rejected: 0, expired: 0, cancelled: 0, inDoubt: inDoubt, underWay: 0, pending: 0,
            suppressed: 0, reasons: "{}", perSecond: 0, rate: nil, eta: nil, revision: 2, took: 8,
            startedAt: "2027-03-01T09:00:00Z", startedBy: "campaigns", unserved: [])
    }

    @Test func aRunWithDoubtsIsNoSuccess() {
        let report = Report(Self.run(inDoubt: 1), scheduleNote: "is paused")
        #expect(report.status == .someFailed)
        #expect(report.text().hasSuffix("\n  schedule: is paused"))
        #expect(report.json.line.contains(#""schedule_why": "is paused""#))
        #expect(Report(Self.run(), scheduleNote: nil).status == .ok)
    }

    @Test func aRunThatWasWaitedForEndsAsItWent() {
        #expect(RunWait.status(of: Self.run(), isLate: false) == .ok)
        #expect(RunWait.status(of: Self.run(inDoubt: 1), isLate: false) == .someFailed)
        #expect(RunWait.status(of: Self.run(), isLate: true) == .tryLater)
    }

    @Test func aKeyThatWasUsedIsJoined() {
        let report = Report(Self.run(), started: false, status: .ok)
        #expect(report.text().hasPrefix("campaign spring, run k1: joined: that key was used before\nspring k1   done"))
        #expect(report.json.line.contains(#""started": false"#))
    }

    @Test func aCampaignWithoutRunsWasNeverStarted() {
        let revision = CampaignStore.Revision(
            revision: 1, by: "ada", at: "2027-03-01T09:00:00Z", spec: "{}", standing: "approved by bob", isSent: true,
            hash: "9f86")
        let report = Report(
            campaign: "spring", revisions: [revision], runs: [], unapproved: nil, scheduleNote: nil)
        #expect(report.text() == "revision 1 by ada at 2027-03-01T09:00:00Z, approved by bob\nnever started")
        #expect(report.json.line.contains(#""hash": "9f86", "is_sent": true"#))
    }

    @Test func aListShowsAPausedScheduleInsteadOfItsNextTime() {
        var campaign = CampaignStore.Campaign(name: "spring", state: "ready", revision: 2, runs: 1)
        (campaign.nextAt, campaign.schedulePausedAt) = ("2027-03-01T09:00:00Z", "2027-02-01T09:00:00Z")
        (campaign.tags, campaign.unapproved) = (["a", "b"], "revision 2 is not approved")
        let report = Report([campaign], none: "none")
        #expect(
            report.text(fitting: 120) == """
                NAME    STATE  REV  RUNS  NEXT    TAGS  WHY
                spring  ready    2     1  paused  a b   revision 2 is not approved
                """, "\(report.text(fitting: 120))")
        #expect(report.json.line.contains(#""next_at": "2027-03-01T09:00:00Z""#))
    }

    @Test func anErrorKeepsARunFromBeginning() {
        let warning = CampaignStore.Finding("warning", "audience", "is an estimate", hint: nil)
        let error = CampaignStore.Finding("error", "hubs", "there is no hub x", hint: "Add it.")
        #expect(Report(findings: [warning]).status == .ok)
        let report = Report(findings: [warning, error])
        #expect(report.status == .badInput)
        #expect(report.text() == "warning: audience: is an estimate\nerror: there is no hub x\n  Add it.")
    }

    @Test func whatIsSteeredIsCounted() {
        let step = CampaignStore.Step(key: "k1", messages: 2, onTheWire: 3, next: nil)
        let report = Report(step, of: "spring", words: "due again", onTheWire: true)
        #expect(report.text() == "campaign spring, run k1: 2 messages due again, 3 on the wire")
        #expect(report.json.line == #"{"campaign": "spring", "due_again": 2, "on_the_wire": 3, "run": "k1"}"#)
    }

    @Test func warningsOfANewCampaignStandBesideIt() throws {
        let command = try CreateCampaign.parse(["spring", "--file", "-"])
        let report = command.report(revision: 3, changed: false, warnings: ["warning: no index"])
        #expect(report.text() == "campaign spring is at revision 3 already")
        #expect(report.remarks.text == "warning: no index" && report.remarks.json == nil)
        #expect(report.json.line.contains(#""warnings": ["no index"]"#))
    }

    @Test func runsThatAreMadeUpAreCountedOrListed() throws {
        let command = try BackfillSchedule.parse(["spring", "--from", "x", "--until", "y"])
        #expect(command.report([], started: 0, known: nil).text() == "the schedule has no time in between: no run")
        #expect(command.report(["k1", "k2"], started: 0, known: nil).text() == "k1\nk2")
        let report = command.report(["k1", "k2"], started: 1, known: 1)
        #expect(report.text() == "1 run started, 1 of that key there already")
        #expect(report.json.line == #"{"campaign": "spring", "keys": ["k1", "k2"], "known": 1, "started": 1}"#)
    }

    @Test func aListOfRecipientsIsShownWithItsLength() {
        let report = Report(lists: [(name: "beta", members: 12, at: "2027-03-01", by: "ada")])
        #expect(report.text() == "LIST  RECIPIENTS  AT          BY\nbeta          12  2027-03-01  ada")
        #expect(report.json.line == #"[{"at": "2027-03-01", "by": "ada", "list": "beta", "members": 12}]"#)
        #expect(Report(lists: []).text() == "no lists")
    }

    @Test func aSuppressedHandleIsWholeForProgramsAlone() {
        let handle = "0123456789abcdef0123"
        let report = Report([Audiences.Suppression(what: "handle", value: handle, by: "ada")], none: "nothing")
        #expect(report.text().contains("0123…0123") && !report.text().contains(handle))
        #expect(report.json.line.contains(handle))
    }
}
