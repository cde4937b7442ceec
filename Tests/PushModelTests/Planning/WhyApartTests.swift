import Testing

@testable import PushModel

/// The answer to `fanfare plan --why`.
@Suite struct WhyApartTests {
    private func why(
        _ row: Int64, _ other: Int64? = nil, in messages: [Message], hub: HubSettings = .news, ended: [Refusal] = []
    ) -> WhyApart {
        var why = WhyApart(row, beside: other)
        let notes = PlanNotes()
        let plan = Plan(messages, for: hub, now: 0, notes: notes)
        why.add(plan, notes, ended: ended, hub: hub.name, priority: .normal)
        return why
    }

    /// The fallback fills French, so 5 says what 1 and 2 say.
    private let rows: [Message] = [
        .of(1, tag: "a", locale: "en"), .of(2, lead: 1, tag: "a", locale: "fr"), .of(3, tag: "b", locale: "en"),
        .of(4, lead: 3, tag: "b", locale: "fr"), .of(5, tag: "a", locale: "en"), .of(6, tag: "c d"),
        .of(7, tag: "c", pack: false), .of(8, tag: "c", attempt: 1),
    ]

    @Test func aRowKnowsItsPostAndWhatItSharesItWith() throws {
        let why = why(4, in: rows)
        guard case .post(let place) = why.fate(of: 4) else { return #expect(Bool(false), "no post") }
        #expect(place.post == 1 && place.claim == 1 && place.hub == "news" && place.priority == .normal)
        #expect(place.content == [3, 4] && place.others == [1, 2])
        #expect(place.apart == .body && place.layer == 0)
        #expect(why.answer == nil && why.isComplete)
        #expect(
            why.lines == [
                "row 4: in post 1 of hub news, one content with 3, 4, shared with 1, 2",
                "post 1 is a post of its own: \(Apart.body.sentence)",
            ])
    }

    @Test(arguments: [
        (1, 2, WhyApart.Answer.samePost(1)), (2, 3, .samePost(1)), (1, 1, .samePost(1)),
        (7, 1, .apart(.pack)), (1, 7, .apart(.pack)), (1, 5, .apart(.repeatedTag)),
        (1, 8, .apart(.body)), (7, 8, .apart(.pack)),
        (1, 99, .missing([99])), (98, 99, .missing([98, 99])),
    ])
    func theFirstThingThatKeepsTwoRowsApart(row: Int64, other: Int64, answer: WhyApart.Answer) {
        #expect(why(row, other, in: rows).answer == answer)
        if case .missing = answer { return }
        #expect(why(other, row, in: rows).answer == answer)
    }

    @Test func aRefusedRowHasNoPost() {
        let why = why(6, 1, in: rows)
        guard case .refused(let refusals) = why.answer else { return #expect(Bool(false), "not refused") }
        #expect(refusals.map(\.message) == [6])
        #expect(why.lines[0].hasPrefix("row 6: it would not be sent (not_sendable): tag \"c d\""))
        #expect(why.lines.last == "A row that would not be sent has no post.")
        let early = Refusal(message: 50, status: .duplicate, reason: .duplicateKey, text: "x")
        #expect(self.why(50, in: rows, ended: [early]).fate(of: 50) == .refused(early))
    }

    /// Two groups are equal and their posts are not one: a tag came before, or a post was full.
    @Test func whatIsEqualIsApartByALayerOrByRoom() {
        let many = (1...41).map { Message.of($0, tag: "t\($0)") } + [.of(42, tag: "t1"), .of(43, tag: "t41")]
        #expect(why(1, 20, in: many).answer == .samePost(1))
        #expect(why(1, 21, in: many).answer == .apart(.full))
        #expect(why(1, 41, in: many).answer == .apart(.full))
        #expect(why(1, 42, in: many).answer == .apart(.repeatedTag))
        #expect(why(41, 42, in: many).answer == .apart(.repeatedTag))
        #expect(why(42, 43, in: many).answer == .samePost(4))
    }

    @Test func lanesAndClaimsKeepRowsApart() {
        var hubs: [HubSettings] = [.news, .news]
        hubs[1].name = "shop"
        func why(_ row: Int64, _ other: Int64) -> WhyApart {
            var why = WhyApart(row, beside: other)
            let claims: [(Int64, HubSettings, Priority)] = [
                (1, hubs[0], .normal), (2, hubs[0], .normal), (3, hubs[0], .bulk), (4, hubs[1], .normal),
            ]
            for (id, hub, priority) in claims {
                let notes = PlanNotes()
                let plan = Plan([.of(id, tag: "t\(id)")], for: hub, now: 0, notes: notes)
                why.add(plan, notes, hub: hub.name, priority: priority, from: hub.name == "shop" ? 1 : Int(id))
            }
            return why
        }
        #expect(why(1, 2).answer == .claims(1, 2))
        #expect(why(1, 3).answer == .priorities(.normal, .bulk))
        #expect(why(1, 4).answer == .hubs("news", "shop"))
        #expect(why(1, 9).isComplete == false)
        #expect(
            why(2, 3).lines == [
                "row 2: in post 2 of hub news", "row 3: in post 3 of hub news",
                "They have different priorities, normal and bulk, and each is claimed for itself.",
            ])
    }

    @Test func longListsAreCut() {
        let why = why(1, in: (1...20).map { .of($0, tag: "t\($0)") })
        #expect(why.lines[0] == "row 1: in post 1 of hub news, shared with 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 9 more")
    }

    @Test func answersHaveWordsAndSentences() {
        let refusal = Refusal(message: 1, status: .rejected, reason: .tooLarge, text: "x")
        let answers: [WhyApart.Answer] = [
            .missing([1]), .refused([refusal]), .samePost(3), .hubs("a", "b"), .priorities(.urgent, .bulk),
            .claims(1, 2), .apart(.onDoubt),
        ]
        #expect(
            answers.map(\.word) == ["missing", "refused", "same_post", "hub", "priority", "claim", "on_doubt"])
        #expect(answers.allSatisfy { $0.description.hasSuffix(".") })
        #expect(answers[6].description == Apart.onDoubt.sentence)
    }
}
