import Pages
import PushModel
import Signing
import Testing

@testable import Console
@testable import Store

/// Which messages all that match are, as values.
@Suite struct MessageSelectionTests {
    private func fields(_ pairs: [(name: String, value: String)]) -> FormFields {
        FormFields(pairs.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")[...])
    }

    private func fields(_ text: String) -> FormFields { FormFields(text[...]) }

    private func selection(_ text: String) throws -> MessageSelection { try MessageSelection(fields(text)) }

    @Test func aFormHasJustTheSelection() throws {
        var search = MessageSearch()
        search.hub = LookFixture.evil
        search.status = "rejected"
        search.reason = "bad_request"
        search.tag = " a tag with blanks "
        search.campaign = "spring & <more>"
        search.run = "2027/03"
        search.tenant = "t%1"
        search.dedupeKey = "k+1"
        search.since = .ago("2d")
        search.until = .at("2027-03-01T07:00:00Z")
        for cause in [nil, MessageSelection.Cause(), MessageSelection.Cause(words: LookFixture.evil)] {
            var selection = MessageSelection(search, cause: cause)
            #expect(try MessageSelection(fields(selection.fields)) == selection)
            selection = selection.frozen(42, asked: "2027-01-15T08:00:00.250Z")
            #expect(try MessageSelection(fields(selection.fields)) == selection)
        }
    }

    @Test func agesAreReckonedFromTheQuestionOn() throws {
        let frozen = try selection("hub=news&since=2d&until=1h").frozen(9, asked: "2027-01-15T08:00:00.250Z")
        #expect(frozen.search.since == .at("2027-01-13T08:00:00.250Z"))
        #expect(frozen.search.until == .at("2027-01-15T07:00:00.250Z"))
        #expect(frozen.frozen?.newest == 9)
    }

    @Test(arguments: [
        "", "tag=+", "status=lost", "reason=none", "hub=news&since=soon", "hub=news&until=now", "hub=a%00b",
        "hub=news&newest=x&asked=2027-01-15", "hub=news&newest=-1&asked=2027-01-15", "hub=news&newest=5&asked=today",
        "hub=news&newest=1000000000000000000000000000000&asked=2027-01-15", "hub=news&newest=5", "cause=1&words=a",
    ])
    func whatNoPageOfOursSendsIsRefused(text: String) {
        #expect(throws: FieldProblem.self) { try MessageSelection(fields(text)) }
    }

    @Test func moreThanAFieldHoldsIsRefused() {
        #expect(throws: FieldProblem.self) { try selection("hub=" + String(repeating: "x", count: 1_001)) }
    }

    @Test func onlyWhatEndedBeforeTheQuestionBelongsToIt() throws {
        let selection = try selection("hub=news").frozen(9, asked: "2027-01-15T08:00:00.250Z")
        func message(_ status: String, _ since: String?) -> Messages.Status {
            Messages.Status(id: 1, hub: "news", status: status, posts: 1, since: since)
        }
        #expect(selection.contains(message("rejected", "2027-01-15T08:00:00.250Z")))
        #expect(!selection.contains(message("rejected", "2027-01-15T08:00:00.251Z")))
        #expect(!selection.contains(message("in_doubt", "2027-01-16T00:00:00.000Z")))
        #expect(!selection.contains(message("rejected", nil)))
        // What has not ended goes on from state to state.
        #expect(selection.contains(message("retrying", "2027-01-16T00:00:00.000Z")))
    }

    @Test func aCauseIsWhatTheHubSaidWithoutItsNumbers() {
        let group = FailureGroups.Group(
            hub: "news", status: "rejected", reason: "bad_request", note: "no template \"a\" at 10:15:07", messages: 2,
            first: "", last: "", example: 1)
        let selection = MessageSelection(group)
        func has(_ note: String?, _ error: String? = nil, campaign: String? = nil) -> Bool {
            selection.contains(
                Messages.Status(
                    id: 1, hub: "news", status: "rejected", posts: 1, note: note, error: error, campaign: campaign))
        }
        #expect(has("no template \"b\" at 11:00:00") && has(nil, "no template \"c\" at 9"))
        #expect(!has("no template at all") && !has(nil) && !has("no template \"a\" at 10", campaign: "spring"))
    }

    @Test func statusesFollowFromTheFilters() throws {
        let all = RetryAllAction.statuses + CancelAllAction.statuses + ResolveAllAction.statuses
        func statuses(_ text: String) throws -> [Status] { try selection(text).statuses(of: all) }
        #expect(try statuses("hub=news") == all)
        #expect(try statuses("status=expired") == [.expired])
        #expect(try statuses("status=accepted") == [])
        #expect(try statuses("reason=bad_request") == [.rejected])
        #expect(try statuses("reason=throttled") == CancelAllAction.statuses)
        #expect(try statuses("status=rejected&reason=answer_lost") == [])
    }

    @Test func aMarkIsReadAsItIsWritten() {
        var mark = SelectionMark(nil, newest: 41)
        #expect(mark == SelectionMark(before: 42))
        (mark.phase, mark.left) = (1, 7)
        #expect(SelectionMark(mark.text, newest: 41) == mark)
        #expect(SelectionMark("nonsense", newest: 41) == SelectionMark(before: 42))
    }

    @Test func aCountSaysOfWhat() {
        var count = SelectionCount(parts: [
            .init(status: .rejected, messages: 1_234), .init(status: .expired, messages: 1),
        ])
        #expect(
            count.shown == "1,235" && count.words == "All that match were counted: 1,234 are rejected, 1 is expired.")
        count = SelectionCount(parts: [.init(status: .rejected, messages: 10_000)], hasMore: true)
        #expect(count.shown == "10,000+")
        #expect(
            count.words
                == "Of the newest 10,000 that match, 10,000 are rejected. Not all were counted; all are meant.")
        #expect(SelectionCount().isNone && !SelectionCount(hasMore: true).isNone)
    }
}
