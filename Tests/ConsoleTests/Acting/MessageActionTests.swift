import HTTPServer
import Pages
import Store
import Testing

@testable import Console

/// The questions about chosen messages: what would happen, by where they stand.
@Suite struct MessageActionTests {
    private func fields(_ text: String) -> FormFields { FormFields(text[...]) }

    private func standings(_ statuses: [Int64: String]) -> [Int64: Messages.Standing] {
        statuses.mapValues { Messages.Standing(status: $0) }
    }

    @Test func eachMessageIsChosenOnce() throws {
        let ids = try MessageIDs(fields("id=3&id=1&id=3&other=4&id="))
        #expect(ids.ids == [3, 1] && ids.sql == "'{3,1}'" && ids.words == "3 1")
    }

    @Test(arguments: ["", "id=", "id=x", "id=1&id=1.5", "id=-1", "id=1000000000000000000000000000000", "id=0"])
    func whatIsNoIdIsRefused(text: String) {
        #expect(throws: FieldProblem.self) { try MessageIDs(fields(text)) }
    }

    @Test func moreThanAThousandAreRefused() {
        let all = (1...1_001).map { "id=\($0)" }.joined(separator: "&")
        #expect(throws: FieldProblem.self) { try MessageIDs(fields(all)) }
    }

    @Test func onlyWhatFailedIsSentAgain() throws {
        let action = try RetryMessagesAction(fields("id=1&id=2&id=3"))
        let some = action.question(about: standings([1: "rejected", 2: "accepted", 3: "expired"]))
        #expect(some.title == "Send 2 messages again?" && some.pointless == nil)
        #expect(action.question(about: standings([1: "accepted"])).pointless != nil)
    }

    @Test func whatWasPostedCannotBeCancelled() throws {
        let action = try CancelMessagesAction(fields("id=1&id=2"))
        #expect(action.question(about: standings([1: "due", 2: "posting"])).title == "Cancel 1 message?")
        #expect(action.question(about: standings([1: "posting", 2: "accepted"])).pointless != nil)
        #expect(action.sql == "SELECT id, push.cancel(id) FROM unnest('{1,2}'::bigint[]) id")
        #expect(try CancelMessagesAction(fields("id=7")).sql == "SELECT push.cancel(7)")
    }

    @Test func aDecisionHasToBeOne() throws {
        #expect(throws: FieldProblem.self) { try ResolveDoubtsAction(fields("id=1")) }
        #expect(throws: FieldProblem.self) { try ResolveDoubtsAction(fields("id=1&decision=maybe")) }
        let action = try ResolveDoubtsAction(fields("id=1&decision=resend"))
        let question = action.question(about: standings([1: "in_doubt"]))
        #expect(question.verb == "Send them again" && question.consequences.first?.contains("twice") == true)
        #expect(action.command == "fanfare doubt resolve 1 --decision resend")
    }

    @Test func erasingIsTypedFirst() throws {
        let one = try EraseMessagesAction(fields("id=42")).question(about: standings([42: "accepted"]))
        #expect(one.typed == "42")
        let two = try EraseMessagesAction(fields("id=42&id=43")).question(about: standings([42: "accepted"]))
        #expect(two.typed == "2")
        #expect(try EraseMessagesAction(fields("id=42")).question(about: [:]).pointless != nil)
    }

    /// What an action reads from a form is what it puts into the form of its question.
    @Test func theQuestionIsAnsweredWithTheSameFields() throws {
        let action = try ResolveDoubtsAction(fields("id=5&id=6&decision=accepted"))
        let text = action.fields.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        #expect(try ResolveDoubtsAction(fields(text)).fields.map(\.value) == action.fields.map(\.value))
    }
}
