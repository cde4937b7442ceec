import CommandLineTool
import Testing

@testable import Store
@testable import fanfare

/// What the commands about messages answer.
@Suite struct MessageReportTests {
    private static var rejected: Messages.Status {
        var status = Messages.Status(id: 42, hub: "news", posts: 1)
        (status.target, status.status, status.reason) = ("World", "rejected", "bad_request")
        (status.since, status.error) = ("2027-03-01T09:00:00.123Z", "400 bad")
        return status
    }

    @Test func aMessageIsShownWithItsMatesAndItsContent() {
        let none = MessageStory(steps: [])
        let report = Report(Self.rejected, mates: [43, 44], content: #"{"a": "b"}"#, story: none)
        #expect(
            report.text().hasPrefix("id                42\nhub               news\ntarget            World\n"))
        #expect(
            report.text().hasSuffix("in one post with  43 44\ncontent           {\"a\": \"b\"}"),
            "\(report.text())")
        #expect(report.json.line.contains(#""mates": [43, 44]"#))
        #expect(Report(Self.rejected, mates: [], content: nil, story: none).json.line.contains(#""content": null"#))
    }

    @Test func theStoryStandsBelowAndNamesThePerson() {
        var inserted = MessageStory.Step("inserted", at: "2027-03-01T09:00:00.123Z")
        inserted.person = "shop"
        var answered = MessageStory.Step("answered", at: "2027-03-01T09:00:01.5Z")
        (answered.status, answered.post, answered.http, answered.milliseconds) = ("rejected", 70_001, 400, 21)
        answered.note = "bad"
        var decided = MessageStory.Step("decided", at: "2027-03-01T10:00:00Z")
        (decided.person, decided.note) = ("anna", "decided by anna")
        let report = Report(
            Self.rejected, mates: [], content: nil, story: MessageStory(steps: [inserted, answered, decided]))
        let text = report.text(fitting: 100)
        #expect(
            text.hasSuffix(
                """


                                  AT  STEP      STATUS    POST   HTTP  NOTE
                2027-03-01T09:00:00Z  inserted                         by shop
                2027-03-01T09:00:01Z  answered  rejected  70001   400  bad; 21 ms
                2027-03-01T10:00:00Z  decided                          decided by anna
                """), "\(text)")
        #expect(report.json.line.contains(#""step": "decided""#))
    }

    @Test func aSearchSaysHowFarItLooked() {
        let report = Report([Self.rejected], footer: ListMessages.footer([42], 1, "2027-02-22"))
        #expect(
            report.text(fitting: 100) == """
                ID  HUB   TARGET  STATUS    REASON                      SINCE  NOTE
                42  news  World   rejected  bad_request  2027-03-01T09:00:00Z  400 bad
                the newest 1 of those enqueued since 2027-02-22; go on with --before 42
                """, "\(report.text(fitting: 100))")
        let none = Report([Messages.Status](), footer: ListMessages.footer([], 50, "2027-02-22"))
        #expect(none.text() == none.remarks.json && none.json.line == "[]")
    }

    @Test func aDoubtToEveryoneSaysSo() {
        let doubt = Doubts.Doubt(id: 7, hub: "news", since: "2027-03-01T09:00:00Z", reason: "answer_lost")
        let report = Report(doubts: [doubt])
        #expect(report.text(fitting: 100).contains("7  news  (everyone)  2027-03-01T09:00:00Z  answer_lost"))
        #expect(report.json.line.contains(#""posted_at": null"#))
        #expect(Report(doubts: []).text() == "no message is in doubt")
    }

    @Test func whatWasNotDecidedIsBadInputWithEachReason() throws {
        let command = try ResolveDoubts.parse(["1", "2", "--decision", "rejected"])
        let before: [Int64: Messages.Standing] = [1: .init(status: "in_doubt"), 2: .init(status: "accepted")]
        let after: [Int64: Messages.Standing] = [1: .init(status: "rejected"), 2: .init(status: "accepted")]
        let report = command.report(decided: 1, Unmoved([1, 2], .resolve, before: before, after: after))
        #expect(
            report.text() == "1 of 2 messages decided: rejected\n2 accepted: it was decided, or its answer came")
        #expect(report.status == .badInput)
        #expect(report.json.line.hasPrefix(#"{"asked": 2, "decided": 1, "decision": "rejected", "not_decided": [{"#))
        #expect(command.report(decided: 9, nil).text() == "9 of 9 messages decided: rejected")
        #expect(command.report(decided: 9, nil).status == .ok)
    }

    @Test func allThatFailedAreDueAgainWithoutACountOfWhatWasAsked() throws {
        let command = try RetryMessages.parse(["--hub", "news"])
        #expect(command.report(retried: 1, nil).text() == "1 message due again")
        #expect(command.report(retried: 1, nil).json.line == #"{"asked": null, "not_retried": null, "retried": 1}"#)
    }

    @Test func aCancelSaysWhatItCameTooLateFor() throws {
        let command = try CancelMessages.parse(["--campaign", "spring"])
        #expect(
            command.report(cancelled: 3, tooLate: 2, sent: 1000).text()
                == "3 messages cancelled, 2 too late: they are on the wire, 1000 or more sent before")
        #expect(
            command.report(cancelled: 0, tooLate: 0, sent: 0).text()
                == "0 messages cancelled, none was sent in the last 30 days")
        let some = CancelMessages.report([(1, "cancelled"), (2, "too_late")])
        #expect(some.text() == "1 cancelled\n2 too_late" && some.status == .badInput)
        #expect(CancelMessages.report([(1, "cancelled")]).status == .ok)
    }

    @Test func oneThatIsBusyIsNotErased() {
        let report = Report(erased: [.init(id: 1, outcome: .erased), .init(id: 2, outcome: .busy)])
        #expect(report.text() == "1 erased\n2 busy" && report.status == .badInput)
        #expect(report.json.line == #"[{"id": 1, "outcome": "erased"}, {"id": 2, "outcome": "busy"}]"#)
    }

    @Test func nothingOldIsNothingToPurge() throws {
        let command = try PurgeCommand.parse(["--older-than", "4w"])
        #expect(command.report([]).text() == "nothing is older than 28d")
        let steps = [Purge.Step(what: "messages", action: "deleted", n: 12, note: "in batches")]
        #expect(command.report(steps).text().hasSuffix("messages  deleted    12  in batches"))
        #expect(command.report(steps).json.line.contains(#""rows": 12"#))
    }

    @Test func whatIsEnqueuedSaysWhichAndWhenUnlessItIsQuiet() throws {
        let messages = [NewMessage(hub: "news", content: "{}"), NewMessage(hub: "news", content: "{}")]
        let rows = [Messages.Enqueued(id: 5, inserted: true, replaced: 3), Messages.Enqueued(id: 4, inserted: false)]
        let words = ["--hub", "news", "--tag", "A", "--property", "a=b"]
        let report = try Enqueue.parse(words).report(rows, of: messages, Warnings())
        #expect(report.text() == "5 inserted in place of 3\n4 duplicate" && !report.isQuiet)
        #expect(report.json.line.hasPrefix(#"{"dry_run": false, "ids": [5, 4], "inserted": 1, "messages": 2, "#))
        let tried = try Enqueue.parse(words + ["--dry-run", "--quiet"]).report(rows, of: messages, Warnings())
        #expect(tried.text() == "2 messages would be enqueued; nothing was" && tried.isQuiet)
        #expect(tried.json.line.contains(#""ids": []"#))
    }
}
