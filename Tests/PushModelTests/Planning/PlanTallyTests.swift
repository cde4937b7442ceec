import Testing

@testable import PushModel

/// The numbers of a screen of `fanfare plan`.
@Suite struct PlanTallyTests {
    private func tally(
        _ claims: [[Message]], _ hub: HubSettings = .news, perSecond: Double? = nil, now: Double = 0,
        ended: [Refusal] = [], priority: Priority = .normal
    ) -> PlanTally {
        var tally = PlanTally(of: hub, postsPerSecond: perSecond)
        for messages in claims {
            let notes = PlanNotes()
            let plan = Plan(messages, for: hub, now: now, notes: notes)
            tally.add(plan, notes, of: messages, ended: ended, priority: priority)
        }
        return tally
    }

    @Test func rowsFoldIntoContentsAndContentsIntoPosts() {
        let tally = tally([
            [
                .of(1, tag: "a", locale: "en"), .of(2, lead: 1, tag: "a", locale: "fr"),
                .of(3, tag: "b", locale: "en"), .of(4, lead: 3, tag: "b", locale: "fr"),
                .of(5, tag: "c", content: #"{"t":"a longer text"}"#), .of(6, tag: "d e"),
            ]
        ])
        #expect(tally.hub == "news")
        #expect((tally.rows, tally.planned, tally.contents, tally.posts) == (6, 5, 3, 2))
        #expect(tally.rowsPerContent == 5.0 / 3 && tally.contentsPerPost == 1.5)
        #expect(tally.apart == [.body: 2])
        #expect(tally.refused == 1 && tally.expired == 0)
        #expect(tally.rowsByPriority == [.normal: 6])
        #expect(tally.largest == PlanTally.Largest(bytes: 57, post: 1))
        #expect(tally.late == nil && tally.cut == 0 && tally.remarks == [])
    }

    @Test func aTallyOfNothingHasNoAverages() {
        let tally = tally([[]])
        #expect(tally.rowsPerContent == nil && tally.contentsPerPost == nil && tally.largest == nil)
    }

    @Test func postsAreNumberedOverAllClaims() {
        let tally = tally([[.of(1, tag: "a"), .of(2, tag: "a")], [.of(3, tag: "b", content: #"{"t":"longest"}"#)]])
        #expect(tally.posts == 3)
        #expect(tally.largest?.post == 3)
    }

    @Test func refusalsAreCountedByReasonWithTheFirstAsExample() {
        var hub = HubSettings.news
        hub.fallback = nil
        let early = Refusal(message: 90, status: .duplicate, reason: .duplicateKey, text: "dedupe_key was used")
        let tally = tally(
            [
                [
                    .of(1, tag: "x y"), .of(2, tag: "z"), .of(3, tag: "a", locale: "en"),
                    .of(4, lead: 3, tag: "a", locale: "fr"), .of(5, tag: "u v"), .of(6, expiresAt: 3),
                    .of(7, tag: "b", locale: "en"), .of(8, tag: "x y"),
                ]
            ], hub, now: 5, ended: [early])
        #expect(tally.rows == 9 && tally.planned == 1 && tally.refused == 8 && tally.expired == 1)
        #expect(tally.refusals.map(\.reason) == [.noFallback, .notSendable, .duplicateKey, .expired])
        #expect(tally.refusals.map(\.rows) == [3, 3, 1, 1])
        #expect(tally.refusals.map(\.example.message) == [3, 1, 90, 6])
        #expect(tally.refusals.map(\.content) == [3, nil, nil, nil])
        #expect(tally.refusals[0].example.text.contains("zh-Hans (Mandarin)"))
    }

    /// One of two translations is refused: the row, not the content.
    @Test func aRefusedTranslationIsARow() {
        let tally = tally([[.of(1, locale: "en"), .of(2, lead: 1, locale: "xx")]])
        #expect(tally.refusals.map(\.content) == [nil])
        #expect(tally.refusals.map(\.example.message) == [2])
    }

    @Test func rowsThatEndBeforeTheirTurnAreLate() {
        let rows = (1...10).map { Message.of($0, tag: "a", expiresAt: 102.5) }
        #expect(tally([rows], perSecond: 2, now: 100).late == 5)
        #expect(tally([Array(rows[..<5]), Array(rows[5...])], perSecond: 2, now: 100).late == 5)
        #expect(tally([rows], perSecond: 100, now: 100).late == 0)
        #expect(tally([rows], perSecond: 0, now: 100).late == nil)
    }

    @Test func prioritiesAreCounted() {
        let hub = HubSettings.news
        var tally = PlanTally(of: hub)
        for (priority, id) in [(Priority.urgent, Int64(1)), (.bulk, 2), (.bulk, 3)] {
            let notes = PlanNotes()
            let plan = Plan([.of(id, tag: "a")], for: hub, now: 0, notes: notes)
            tally.add(plan, notes, of: [.of(id, tag: "a")], priority: priority)
        }
        #expect(tally.rowsByPriority == [.urgent: 1, .bulk: 2])
    }

    // MARK: - Where claims end

    @Test func aPostThatWouldHaveJoinedOneOfTheClaimBeforeIsCounted() {
        let first = (1...3).map { Message.of($0, tag: "t\($0)") }
        let other = Message.of(9, tag: "t9", content: #"{"t":"y"}"#)
        #expect(tally([first, [.of(4, tag: "t4"), .of(5, tag: "t5")]]).cut == 1)
        #expect(tally([first, [.of(4, tag: "t1")]]).cut == 0)
        #expect(tally([first, [other]]).cut == 0)
        #expect(tally([first, (4...23).map { .of($0, tag: "t\($0)") }]).cut == 0)
        #expect(tally([first, (4...20).map { .of($0, tag: "t\($0)") }]).cut == 1)
        #expect(tally([first, [.of(4, tag: "t4", pack: false)]]).cut == 0)
        let three = tally([first, [.of(4, tag: "t4"), other], [.of(5, tag: "t5")]])
        #expect(three.cut == 2)
        #expect(three.remarks == [.cut(posts: 2)])
        // Two claims back is too far: a worker has sent those by then.
        #expect(tally([first, [other], [.of(4, tag: "t4")]]).cut == 0)
    }

    @Test func claimsOfTwoLanesCutNothing() {
        var tally = PlanTally(of: .news)
        for (priority, message) in zip([Priority.normal, .bulk], [Message.of(1, tag: "a"), .of(2, tag: "b")]) {
            let notes = PlanNotes()
            tally.add(Plan([message], for: .news, now: 0, notes: notes), notes, of: [message], priority: priority)
        }
        #expect(tally.posts == 2 && tally.cut == 0)
    }

    @Test func aCutCostsWhatOneClaimWouldHaveSaved() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<500 {
            let rows = (1...Int64.random(in: 2...60, using: &random)).map { id in
                Message.of(
                    id, tag: "t\(id)", content: #"{"t":"\#(Int.random(in: 0...2, using: &random))"}"#,
                    pack: Int.random(in: 0...9, using: &random) > 0)
            }
            let middle = Int.random(in: 1..<rows.count, using: &random)
            let cut = tally([Array(rows[..<middle]), Array(rows[middle...])])
            #expect(cut.posts - cut.cut == tally([rows]).posts)
        }
    }

    // MARK: - Tags

    @Test func tagsThatDifferInCaseAloneAreRemarked() {
        let rows: [Message] = [
            .of(1, tag: "World"), .of(2, tag: "world"), .of(3, tag: "WORLD"), .of(4, tag: "world"),
            .of(5, tag: "a && World"), .of(6, tag: "A || b"),
        ]
        let tally = tally([rows])
        #expect(
            tally.remarks == [
                .tagsDifferInCase("World", "world"), .tagsDifferInCase("World", "WORLD"), .tagsDifferInCase("a", "A"),
            ])
        #expect(
            tally.remarks[0].description
                == #"tag "world" beside "World": tags compare without case, so both are the same devices"#)
    }

    @Test func topicsThatDifferInCaseAreTwo() {
        var hub = HubSettings(name: "shop", kind: .fcm)
        hub.tagsAreTopics = true
        let rows = ["Tech", "tech"].enumerated().map { id, topic in
            Message(
                id: Int64(id), target: .tag(topic), content: FCMPlanTests.payload, format: "fcmv1",
                expiresAt: .infinity)
        }
        let tally = tally([rows], hub)
        #expect(tally.posts == 2 && tally.remarks == [])
    }

    @Test func oddExpressionsAreRemarkedOnce() throws {
        let rows: [Message] = [.of(1, tag: "a && !a"), .of(2, tag: "a && !a"), .of(3, tag: "and || b")]
        #expect(
            tally([rows]).remarks == [
                .tag(.matchesNobody(try TagExpression("a && !a"))), .tag(.word(try Tag("and"))),
            ])
    }

    @Test func remarksAreFewHoweverManyTagsThereAre() {
        let rows = (0..<200).map { Message.of(Int64($0), tag: ($0 % 2 == 0 ? "t" : "T") + "\($0 / 2)") }
        #expect(tally([rows]).remarks.count == 20)
    }

    @Test func remarksHaveWords() throws {
        let expression = try TagExpression("a")
        let remarks: [PlanRemark] = [
            .tagsDifferInCase("a", "A"), .tag(.word(try Tag("and"))), .tag(.matchesNobody(expression)),
            .tag(.matchesEverybody(expression)), .cut(posts: 1), .cut(posts: 2),
        ]
        #expect(
            remarks.map(\.word) == [
                "tags_differ_in_case", "operator_as_tag", "matches_nobody", "matches_everybody", "cut", "cut",
            ])
        #expect(remarks[4].description.hasSuffix("makes 1 more post"))
        #expect(remarks[5].description.hasSuffix("makes 2 more posts"))
    }
}
