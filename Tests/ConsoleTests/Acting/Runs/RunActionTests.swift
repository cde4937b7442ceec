import Campaigns
import Pages
import PushModel
import Testing

@testable import Console
@testable import Store

/// The questions about a run: what would happen, by its state and its numbers.
@Suite struct RunActionTests {
    private static let run = RunReference(campaign: "spring", key: "it's/?%")
    private static let form = "campaign=spring&key=it%27s%2F%3F%25"

    private func fields(_ text: String) -> FormFields { FormFields("\(Self.form)\(text)"[...]) }

    private func standing(
        _ state: RunState = .running, _ change: (inout RunProgress) -> Void = { _ in }
    ) -> RunStanding {
        RunStanding(
            progress: OverviewFixture.run {
                $0.state = state
                change(&$0)
            })
    }

    /// Buttons and questions follow the one table of what an event does.
    @Test(arguments: RunState.allCases) func onlyWhatMovesARunIsOffered(state: RunState) throws {
        let standing = standing(state) { $0.pending = 0 }
        let actions: [(any RunAction, RunEvent)] = [
            (PauseRunAction(Self.run), .pause), (ResumeRunAction(Self.run), .resume),
            (CancelRunAction(Self.run), .cancel),
        ]
        for (action, event) in actions {
            if case .moves = state.on(event) {
                #expect(action.pointless(standing) == nil, "\(event)")
            } else {
                let because = state.on(event).because
                #expect(action.pointless(standing)?.lowercased().contains(because.lowercased()) == true, "\(event)")
            }
        }
        let rate = try SetRunRateAction(fields("&rate=5"))
        if case .refused = state.on(.setRate) {
            #expect(rate.pointless(standing) != nil)
        } else {
            #expect(rate.pointless(standing) == nil)
        }
        // 20 messages of it failed.
        if case .refused = state.on(.retry) {
            #expect(RetryRunAction(Self.run).pointless(standing) != nil)
        } else {
            #expect(RetryRunAction(Self.run).pointless(standing) == nil)
        }
    }

    @Test func aCancelThatDidNotEndCanBeBegunAgain() {
        #expect(CancelRunAction(Self.run).pointless(standing(.cancelled) { $0.pending = 5 }) == nil)
        #expect(CancelRunAction(Self.run).pointless(standing(.expired) { $0.pending = 5 }) == nil)
        #expect(CancelRunAction(Self.run).pointless(standing(.cancelled) { $0.pending = 0 }) != nil)
        #expect(CancelRunAction(Self.run).pointless(standing(.done) { $0.pending = 5 }) != nil)
    }

    @Test func aStateThatChangedMeanwhileIsNamedWithWhoDidIt() {
        let paused = standing(.paused) {
            ($0.why, $0.stateSince) = ("paused by Ben: wrong picture", "2027-01-15T07:00:00.5Z")
        }
        #expect(
            PauseRunAction(Self.run).pointless(paused)
                == "It is paused since 2027-01-15T07:00:00Z: paused by Ben: wrong picture. It is paused.")
    }

    @Test func theQuestionHasTheNumbers() {
        let question = PauseRunAction(Self.run).question(about: standing { $0.neverMade = 6_000 })
        #expect(question.title == "Pause run it's/?% of campaign spring?")
        #expect(
            question.consequences.first
                == "About 6,000 recipients have no message yet; 880 messages wait, and 100 are under way.")
        let unknown = CancelRunAction(Self.run).question(about: standing { $0.neverMade = nil })
        #expect(
            unknown.consequences.contains { $0.hasPrefix("How many recipients have no message yet is not known; 880") })
    }

    @Test func aCancelIsTypedAndSoIsMuchElse() throws {
        #expect(CancelRunAction(Self.run).question(about: standing()).typed == "spring")
        #expect(RetryRunAction(Self.run).question(about: standing { $0.rejected = 1_000 }).typed == nil)
        #expect(RetryRunAction(Self.run).question(about: standing { $0.rejected = 1_001 }).typed == "spring")
        let resend = ResolveRunAction(Self.run, as: .resend)
        #expect(resend.question(about: standing { $0.inDoubt = 1_001 }).typed == "spring")
        #expect(
            resend.question(about: standing { $0.inDoubt = 2 }).title.hasPrefix("Decide 2 messages in doubt of run"))
    }

    @Test func aReasonCountsWhatFailedForIt() throws {
        var failed = standing()
        failed.failures = [
            RunFailure(status: "rejected", reason: "bad_request", messages: 7),
            RunFailure(status: "in_doubt", reason: "bad_request", messages: 100),
            RunFailure(status: "expired", reason: "too_late", messages: 3),
        ]
        let action = try RetryRunAction(fields("&reason=bad_request"))
        #expect(action.question(about: failed).title == "Send 7 messages of run it's/?% of campaign spring again?")
        #expect(action.pointless(failed) == nil && action.asksReasons)
        #expect(try RetryRunAction(fields("&reason=target_gone")).pointless(failed)?.contains("target_gone") == true)
        #expect(try !RetryRunAction(fields("")).asksReasons)
        #expect(throws: FieldProblem.self) { try RetryRunAction(fields("&reason=%3Cb%3E")) }
    }

    /// A rate that cannot be read is never taken for none.
    @Test(arguments: ["", "fast", "-1", "nan", "inf", "0", "default", "1,000", "5/s", "٥"])
    func aRateThatCannotBeReadIsRefused(rate: String) {
        #expect(throws: FieldProblem.self) { try SetRunRateAction(fields("&rate=\(rate)")) }
    }

    @Test func aRateIsANumberOrNone() throws {
        let none = try SetRunRateAction(fields("&rate=none"))
        #expect(none.sql == "SELECT push.set_run_rate('spring', 'it''s/?%', NULL)")
        #expect(
            none.question(about: standing()).consequences[1] == "Then: as fast as the hubs take them, over all hubs.")
        let some = try SetRunRateAction(fields("&rate=0.5"))
        #expect(some.sql == "SELECT push.set_run_rate('spring', 'it''s/?%', 0.5)")
        #expect(some.command == "fanfare campaign rate spring --run 'it'\\''s/?%' 0.5")
        #expect(
            some.question(about: standing { $0.rate = 0.25 }).consequences[0] == "Now: at most 0.25 messages a second.")
        #expect(SetRunRateAction.text(500) == "500" && SetRunRateAction.text(Double(Float(0.1))) == "0.1")
    }

    @Test func whatSQLAndCommandsWouldBe() throws {
        let pause = try PauseRunAction(fields("&reason=it%27s+-+wrong"))
        #expect(pause.sql == "SELECT * FROM push.pause_run('spring', 'it''s/?%', reason => 'it''s - wrong')")
        #expect(pause.command.hasSuffix("--reason 'it'\\''s - wrong'"))
        let retry = try RetryRunAction(fields("&reason=target_gone"))
        #expect(retry.sql == "SELECT * FROM push.retry_run('spring', 'it''s/?%', reason => 'target_gone')")
        #expect(
            ResolveRunAction(Self.run, as: .rejected).sql
                == "SELECT * FROM push.resolve_run('spring', 'it''s/?%', 'rejected')")
    }

    /// What an action reads from a form is what it puts into the form of its question, and its page is that of the run.
    @Test func theQuestionIsAnsweredWithTheSameFields() throws {
        let actions: [any RunAction] = [
            try PauseRunAction(fields("&reason=why")), try ResumeRunAction(fields("")), try CancelRunAction(fields("")),
            try SetRunRateAction(fields("&rate=5")), try RetryRunAction(fields("&reason=bad_request")),
            try ResolveRunAction(fields("&decision=resend")),
        ]
        for action in actions {
            let address = ConsoleAddress.text(base: "", [], action.fields.map { ($0.name, $0.value) })
            let again = try type(of: action).init(FormFields(address.drop { $0 != "?" }.dropFirst()))
            #expect(again.fields.map(\.value) == action.fields.map(\.value))
            #expect(action.page == ["campaigns", "spring", "runs", "it's/?%"])
            #expect(type(of: action).rights == [.campaigns, .operate])
        }
    }

    @Test(arguments: ["", "campaign=spring", "key=k", "campaign=spring&key=%00", "campaign=%20&key=k"])
    func anActionNeedsItsRun(text: String) {
        #expect(throws: FieldProblem.self) { try PauseRunAction(FormFields(text[...])) }
    }
}
