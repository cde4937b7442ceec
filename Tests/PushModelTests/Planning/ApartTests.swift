import Testing

@testable import PushModel

/// Why posts are posts of their own.
@Suite struct ApartTests {
    @Test(arguments: try ApartExample.all())
    func theSmallestRowsShowTheirReason(example: ApartExample) {
        let notes = PlanNotes()
        let plan = Plan(example.messages, for: example.hub, now: 0, notes: notes)
        #expect(plan.refusals == [])
        #expect(notes.apart.count == plan.posts.count)
        #expect(Dictionary(notes.apart.map { ($0, 1) }, uniquingKeysWith: +) == example.apart)
    }

    @Test func everyReasonHasAnExample() throws {
        let shown = Set(try ApartExample.all().flatMap(\.apart.keys))
        #expect(shown == Set(Apart.allCases))
    }

    /// Two posts of an example: the later is there for a reason, and that keeps the two apart.
    @Test(arguments: try ApartExample.all())
    func theReasonOfAPostKeepsItsRowsFromThoseOfTheFirst(example: ApartExample) throws {
        let notes = PlanNotes()
        let plan = Plan(example.messages, for: example.hub, now: 0, notes: notes)
        for (post, reason) in zip(plan.posts, notes.apart).dropFirst() {
            var why = WhyApart(plan.posts[0].messages[0], beside: post.messages[0])
            why.add(plan, notes, hub: "news", priority: .normal)
            #expect(why.answer == .apart(reason))
        }
    }

    /// As in a trie: what keeps a post from the group that is most like it, not from the first one.
    @Test func theReasonIsWhatKeepsAPostFromTheGroupThatIsMostLikeIt() {
        let notes = PlanNotes()
        let other = #"{"t":"y"}"#
        let urgent = #"{"apns-priority":"10"}"#
        let plan = Plan(
            [
                .of(1, tag: "a", pack: false), .of(2, tag: "a"), .of(3, tag: "b", content: other),
                .of(4, tag: "c", content: other, headers: urgent), .of(5, tag: "d", headers: urgent, attempt: 1),
                .of(6, tag: "e", headers: urgent), .of(7, tag: "f", attempt: 1),
                .of(8, tag: "g", content: #"{"t":"z"}"#),
                .of(9, tag: "g", onDoubt: .resend), .of(10, tag: "g", attempt: 2, onDoubt: .resend),
            ], for: .news, now: 0, notes: notes)
        #expect(plan.posts.count == 10)
        #expect(
            notes.apart == [
                .pack, .body, .body, .headers, .headers, .attempt, .attempt, .body, .onDoubt, .attempt,
            ])
    }

    /// The first reason counts, whatever else holds.
    @Test func reasonsComeInTheirOrder() {
        func reason(_ message: Message, _ hub: HubSettings, packsHandles: Bool = true) -> [Apart] {
            let notes = PlanNotes()
            _ = Plan([message], for: hub, now: 0, packsHandles: packsHandles, notes: notes)
            return notes.apart
        }
        var hub = HubSettings.news
        hub.allowBroadcast = true
        let all = Message(id: 1, target: .broadcast, content: "{}", expiresAt: .infinity)
        #expect(reason(all, hub) == [.broadcast])
        #expect(reason(.of(1, tag: "a || b"), hub) == [.expression])
        #expect(reason(.of(1, tag: "$UserId:{a}"), hub) == [.expression])
        #expect(reason(.of(1, handles: ["a"]), hub, packsHandles: false) == [.oneHandle])
        #expect(reason(.of(1, handles: ["a"]), hub) == [.body])
        hub.localization = .tags
        let french = Message(id: 1, target: .broadcast, locale: "fr", content: "{}", expiresAt: .infinity)
        #expect(reason(french, hub) == [.broadcast])
        hub.packTags = false
        #expect(reason(all, hub) == [.packTags])
        #expect(reason(.of(1, handles: ["a"]), hub, packsHandles: false) == [.packTags])
        #expect(reason(.of(1, tag: "a || b", pack: false), hub) == [.pack])
        #expect(Apart.allCases.sorted() == Apart.allCases)
        #expect(Apart.pack < .packTags && Apart.repeatedTag < .full)
    }

    @Test func sentencesAreSentencesAndLabelsAreShort() {
        for reason in Apart.allCases {
            #expect(reason.sentence.hasSuffix(".") && reason.sentence.first?.isUppercase != false, "\(reason.sentence)")
            #expect(reason.label.count <= 20, "\(reason.label)")
        }
        #expect(Set(Apart.allCases.map(\.sentence)).count == Apart.allCases.count)
        #expect(Set(Apart.allCases.map(\.label)).count == Apart.allCases.count)
    }
}
