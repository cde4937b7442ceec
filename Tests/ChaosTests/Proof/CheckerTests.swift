import Testing

@testable import Chaos

/// The checker finds what is broken, and nothing where nothing is. Every case is a good run with one thing made wrong.
@Suite struct CheckerTests {
    /// One message of each fate, as a run leaves them.
    static func goodRun() -> Facts {
        var facts = Facts()
        func message(_ id: Int64, _ status: String) {
            facts.messages.append(.init(id: id, hub: "news", tag: "t\(id)", marker: "m\(id)", status: status))
            facts.confirmed.append(.init(id: id, marker: "m\(id)"))
        }
        func arrival(_ number: Int, _ id: Int64, status: Int?, isTaken: Bool, isWhole: Bool = true) {
            facts.arrivals.append(
                .init(
                    number: number, hub: "news", at: Double(number), status: status, isTaken: isTaken, isWhole: isWhole,
                    isSpoilt: status != 201, receipt: status.map { _ in "k\(number)" }, tags: "t\(id)",
                    markers: isWhole ? ["m\(id)"] : []))
        }
        func result(_ id: Int64, _ post: Int64?, at: Double, _ status: String, _ reason: String) {
            facts.results.append(.init(id: id, post: post, at: at, status: status, reason: reason))
        }
        // 1: accepted at once.
        message(1, "accepted")
        facts.posts.append(.init(id: 10_001, messages: [1], answer: .init("accepted", receipt: "k1", at: 2)))
        arrival(1, 1, status: 201, isTaken: true)
        result(1, 10_001, at: 2, "accepted", "taken_by_hub")
        // 2: throttled, then accepted.
        message(2, "accepted")
        facts.posts.append(.init(id: 20_001, messages: [2], answer: .init("throttled", receipt: "k2", at: 3)))
        facts.posts.append(.init(id: 30_001, messages: [2], answer: .init("accepted", receipt: "k3", at: 4)))
        arrival(2, 2, status: 429, isTaken: false)
        arrival(3, 2, status: 201, isTaken: true)
        result(2, 20_001, at: 3, "retrying", "throttled")
        result(2, 30_001, at: 4, "accepted", "taken_by_hub")
        // 3: taken without an answer, held.
        message(3, "in_doubt")
        facts.posts.append(.init(id: 40_001, messages: [3], answer: .init("unknown", at: 5)))
        arrival(4, 3, status: nil, isTaken: true)
        result(3, 40_001, at: 5, "in_doubt", "answer_lost")
        // 4: its worker was killed, a person sent it again.
        message(4, "accepted")
        facts.posts.append(.init(id: 50_001, messages: [4]))
        facts.posts.append(.init(id: 60_001, messages: [4], answer: .init("accepted", receipt: "k6", at: 9)))
        arrival(5, 4, status: nil, isTaken: true, isWhole: false)
        arrival(6, 4, status: 201, isTaken: true)
        result(4, 50_001, at: 7, "in_doubt", "worker_lost")
        result(4, nil, at: 8, "retrying", "resolved")
        result(4, 60_001, at: 9, "accepted", "taken_by_hub")
        // 5: in doubt, and settled by the late answer.
        message(5, "accepted")
        facts.posts.append(.init(id: 70_001, messages: [5], answer: .init("accepted", receipt: "k7", at: 12)))
        arrival(7, 5, status: 201, isTaken: true)
        result(5, 70_001, at: 10, "in_doubt", "worker_lost")
        result(5, 70_001, at: 12, "accepted", "taken_by_hub")
        // 6: cancelled; 7: for tomorrow; 8: given back by a worker that left, then resent after a doubt and accepted.
        message(6, "cancelled")
        facts.cancelled.append((6, 1))
        result(6, nil, at: 1, "cancelled", "cancelled_by_caller")
        message(7, "scheduled")
        message(8, "accepted")
        facts.posts.append(.init(id: 90_001, messages: [8], answer: .init("unknown", at: 15)))
        facts.posts.append(.init(id: 100_001, messages: [8], answer: .init("accepted", receipt: "k9", at: 16)))
        arrival(8, 8, status: nil, isTaken: false)
        arrival(9, 8, status: 201, isTaken: true)
        result(8, 80_000, at: 14, "retrying", "released")
        result(8, 90_001, at: 15, "retrying", "resent")
        result(8, 100_001, at: 16, "accepted", "taken_by_hub")
        DeviceCheckerTests.addDevices(to: &facts)
        WordCheckerTests.addPosts(to: &facts)
        facts.urgent = [.init(id: 1, marker: "m1", at: 0.9)]
        facts.tally = [.init(hub: "news", status: "cancelled", reason: "cancelled_by_caller"): 1]
        facts.counted = facts.tally
        return facts
    }

    @Test func findsNothingInAGoodRun() {
        #expect(Checker.violations(in: Self.goodRun()) == [])
    }

    /// What is made wrong, which promise that breaks, and for which message.
    struct Wrong: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var promise: Violation.Promise
        var message: Int64?
        var change: @Sendable (inout Facts) -> Void

        init(
            _ name: String, _ promise: Violation.Promise, _ message: Int64?,
            _ change: @escaping @Sendable (inout Facts) -> Void
        ) {
            testDescription = name
            self.promise = promise
            self.message = message
            self.change = change
        }
    }

    private static let wrongs: [Wrong] = [
        Wrong("a confirmed row is gone", .nothingConfirmedIsMissing, 99) {
            $0.confirmed.append(.init(id: 99, marker: "m99"))
        },
        Wrong("another message has the number of a confirmed one", .nothingConfirmedIsMissing, 7) {
            $0.confirmed.append(.init(id: 7, marker: "another"))
        },
        Wrong("erased and still there", .erasedMeansGone, 7) {
            $0.erased = [.init(id: 7, hub: "news", tag: "t7", marker: "m7")]
        },
        Wrong("erased and sent", .erasedMeansGone, 1) {
            $0.messages[0].hasTexts = false
            $0.erased = [.init(id: 1, hub: "news", tag: "t1", marker: "m1", at: 0.5)]
        },
        Wrong("push.lost has a row", .lostIsEmpty, nil) { $0.lost.append("1 is nowhere") },
        Wrong("a claim is still held", .nothingIsStuck, 7) { $0.messages[6].status = "claimed" },
        Wrong("nobody sends what is due", .nothingIsStuck, 7) {
            $0.messages[6].status = "due"
            $0.messages[6].isOverdue = true
        },
        Wrong("due with a final result", .oneFinalState, 1) { $0.messages[0].status = "due" },
        Wrong("the view and the results disagree", .oneFinalState, 1) { $0.messages[0].status = "rejected" },
        Wrong("nothing is known of it", .oneFinalState, 7) { $0.messages[6].status = "" },
        Wrong("taken twice", .nothingIsRepeated, 1) {
            $0.posts.append(.init(id: 110_001, messages: [1], answer: .init("accepted", receipt: "k10", at: 20)))
            $0.arrivals.append(
                .init(
                    number: 10, hub: "news", at: 10, status: 201, isTaken: true, receipt: "k10", tags: "t1",
                    markers: ["m1"]))
        },
        Wrong("taken again after it was left unanswered", .nothingIsRepeated, 3) {
            $0.posts.append(.init(id: 110_001, messages: [3], answer: .init("accepted", receipt: "k10", at: 20)))
            $0.arrivals.append(
                .init(
                    number: 10, hub: "news", at: 10, status: 201, isTaken: true, receipt: "k10", tags: "t3",
                    markers: ["m3"]))
        },
        Wrong("two posts without an answer", .nothingIsRepeated, 3) {
            $0.posts.append(.init(id: 110_001, messages: [3]))
        },
        Wrong("a post that was not written down", .everyPostIsWrittenDown, 2) {
            $0.arrivals.append(
                .init(
                    number: 10, hub: "news", at: 10, status: 429, isTaken: false, receipt: "k10", tags: "t2",
                    markers: ["m2"]))
        },
        Wrong("a send of nobody's", .everyPostIsWrittenDown, nil) {
            $0.arrivals.append(
                .init(number: 10, hub: "news", at: 10, status: 201, isTaken: true, tags: "x", markers: ["y"]))
        },
        Wrong("accepted and never sent", .acceptedMeansTaken, 1) { $0.arrivals.removeFirst() },
        Wrong("accepted and not taken", .acceptedMeansTaken, 1) { $0.arrivals[0].isTaken = false },
        Wrong("in doubt without a post", .doubtMeansUnanswered, 3) { $0.posts.removeAll { $0.id == 40_001 } },
        Wrong("in doubt and answered", .doubtMeansUnanswered, 3) {
            let at = $0.posts.firstIndex { $0.id == 40_001 } ?? 0
            $0.posts[at].answer = .init("rejected", at: 4)
        },
        Wrong("in doubt and the hub answered", .doubtMeansUnanswered, 3) {
            $0.arrivals[3].status = 201
            $0.arrivals[3].isSpoilt = false
        },
        Wrong("rejected although nobody refused it", .nothingIsGivenUp, 2) {
            $0.posts.removeAll { $0.id == 30_001 }
            $0.results.removeAll { $0.post == 30_001 }
            $0.results.append(.init(id: 2, post: 20_001, at: 4, status: "rejected", reason: "attempts_exhausted"))
        },
        Wrong("a phone that is said to be gone and is there", .goneMeansGone, nil) { $0.gone = ["gone-1", "phone-1"] },
        Wrong("a send of another hub", .everyPostIsWrittenDown, nil) { $0.arrivals[0].hub = "local" },
        Wrong("accepted without a receipt, and not cut", .acceptedMeansTaken, 1) {
            $0.posts[0].answer = .init("accepted", at: 2)
        },
        Wrong("a late completion over a final result", .staleChangesNothing, 1) {
            $0.results.append(.init(id: 1, post: 5_001, at: 30, status: "accepted", reason: "taken_by_hub"))
        },
        Wrong("a late completion settles another post's doubt", .staleChangesNothing, 5) {
            let at = $0.results.lastIndex { $0.id == 5 } ?? 0
            $0.results[at].post = 60_001
        },
        Wrong("a late retry of a doubt", .staleChangesNothing, 3) {
            $0.results.append(.init(id: 3, post: 40_001, at: 30, status: "retrying", reason: "resent"))
        },
        Wrong("two results of one post", .staleChangesNothing, 2) {
            let at = $0.results.lastIndex { $0.id == 2 } ?? 0
            $0.results[at].post = 20_001
        },
        Wrong("an old claim writes after a new one", .staleChangesNothing, 2) {
            let at = $0.results.lastIndex { $0.id == 2 } ?? 0
            $0.results[at].post = 10_001
        },
        Wrong("cancelled and sent", .cancelledMeansUnsent, 6) {
            $0.posts.append(.init(id: 110_001, messages: [6]))
            $0.arrivals.append(
                .init(number: 10, hub: "news", at: 10, status: nil, isTaken: true, tags: "t6", markers: ["m6"]))
        },
        Wrong("told cancelled and accepted", .cancelledMeansUnsent, 1) { $0.cancelled.append((1, 1)) },
        Wrong("an urgent message waits for a bulk post", .urgentNeverWaits, 1) { $0.urgent[0].at -= 15 },
        Wrong("an urgent message never leaves", .urgentNeverWaits, 7) { $0.urgent.append(.init(id: 7, marker: "m7")) },
        Wrong("in doubt, and APNs refused the stream", .wordsMeanNoDoubt, 201) { facts in
            guard let index = facts.arrivals.firstIndex(where: { $0.number == 201 }) else { return }
            (facts.arrivals[index].isRefused, facts.arrivals[index].isTaken) = (true, false)
        },
        Wrong("the tally counts one too many", .tallyAgrees, nil) {
            $0.tally[.init(hub: "news", status: "accepted", reason: "taken_by_hub")] = 1
        },
    ]

    @Test(arguments: wrongs) func findsWhatIsMadeWrong(wrong: Wrong) {
        var facts = Self.goodRun()
        wrong.change(&facts)
        let found = Checker.violations(in: facts)
        #expect(found.contains { $0.promise == wrong.promise && $0.message == wrong.message }, "\(found)")
    }

    @Test func everyPromiseIsBrokenByACase() {
        let broken = Self.wrongs.map(\.promise) + DeviceCheckerTests.wrongs.map(\.promise)
        #expect(Set(broken) == Set(Violation.Promise.allCases))
    }

    /// What a lagging standby had not received is found, and told apart from what nothing excuses.
    @Test func whatAFailOverLostIsAccountedApart() {
        var facts = Self.goodRun()
        facts.confirmed.append(.init(id: 99, marker: "m99", at: 105))
        facts.confirmed.append(.init(id: 98, marker: "m98", at: 50))
        facts.losses = [100...110]
        let found = Checker.violations(in: facts)
        #expect(found.filter(\.isLoss).map(\.message) == [99])
        #expect(found.filter { !$0.isLoss }.map(\.message) == [98])
    }

    @Test func whatSomebodyDeletedIsNotMissed() {
        var facts = Self.goodRun()
        facts.messages.removeAll { $0.id == 7 }
        #expect(!Checker.violations(in: facts).isEmpty)
        facts.deleted = [.init(id: 7, hub: "news", tag: "t7", marker: "m7")]
        #expect(Checker.violations(in: facts) == [])
    }

    @Test func whatSomebodyDeletedMayHaveBeenSentBefore() throws {
        var facts = Self.goodRun()
        let sent = try #require(facts.messages.first { $0.id == 1 })
        facts.deleted = [.init(id: 1, hub: "news", tag: sent.tag, marker: sent.marker)]
        #expect(Checker.violations(in: facts) == [], "the transaction that would have deleted it was lost")
        facts.messages.removeAll { $0.id == 1 }
        #expect(Checker.violations(in: facts) == [])
    }

    @Test func thePointerOfADeletedMessageStaysUntilItIsDue() {
        var facts = Self.goodRun()
        facts.lost = ["7 is pending or held, and has no row in push.message"]
        #expect(!Checker.violations(in: facts).isEmpty)
        facts.messages.removeAll { $0.id == 7 }
        facts.deleted = [.init(id: 7, hub: "news", tag: "t7", marker: "m7")]
        #expect(Checker.violations(in: facts) == [])
        facts.lost = ["7 is nowhere"]
        #expect(!Checker.violations(in: facts).isEmpty)
    }

    /// A worker may answer a message in the moment in which somebody deletes its row.
    @Test func theResultOfADeletedMessageStays() {
        var facts = Self.goodRun()
        facts.lost = ["7 has a result, and no row in push.message"]
        #expect(!Checker.violations(in: facts).isEmpty)
        facts.messages.removeAll { $0.id == 7 }
        facts.deleted = [.init(id: 7, hub: "news", tag: "t7", marker: "m7")]
        #expect(Checker.violations(in: facts) == [])
    }

    /// A server whose clock steps back writes the later result with the earlier time.
    @Test func theOrderOfResultsIsThatOfTheirArrival() {
        var facts = Self.goodRun()
        for index in facts.results.indices where facts.results[index].id == 4 { facts.results[index].at *= -1 }
        facts.clockSteps = [-20...20]
        #expect(Checker.violations(in: facts) == [])
    }

    @Test func aPausedWorkerMayReadAnAnswerTooLate() {
        var facts = Self.goodRun()
        facts.arrivals[3].status = 201
        facts.arrivals[3].isSpoilt = false
        facts.pauses = [10...30]
        #expect(Checker.violations(in: facts) == [])
    }

    @Test func anAnswerThatWasCutHasNoReceipt() {
        var facts = Self.goodRun()
        facts.posts[0].answer = .init("accepted", at: 2)
        facts.arrivals[0].isSpoilt = true
        #expect(Checker.violations(in: facts) == [])
    }

    @Test func whatIsRefusedAgainAndAgainIsRejected() {
        var facts = Self.goodRun()
        facts.messages[1].status = "rejected"
        facts.posts.removeAll { $0.messages == [2] }
        facts.posts.append(.init(id: 20_001, messages: [2], answer: .init("hub_not_found", at: 3)))
        facts.posts.append(.init(id: 30_001, messages: [2], answer: .init("unavailable", at: 4)))
        facts.arrivals.removeAll { $0.markers == ["m2"] }
        facts.results.removeAll { $0.id == 2 }
        facts.results.append(.init(id: 2, post: 20_001, at: 3, status: "retrying", reason: "hub_not_found"))
        facts.results.append(.init(id: 2, post: 30_001, at: 4, status: "rejected", reason: "attempts_exhausted"))
        #expect(Checker.violations(in: facts) == [])
    }

    @Test func readsMarkersAndTags() {
        #expect(SendParser.markers(in: ##"{"News_English":"#7.en#","News_French":"#7.fr#"}"##) == ["7.en", "7.fr"])
        #expect(SendParser.markers(in: nil) == [])
        #expect(SendParser.tokens("(t1 || t2) && !t3") == ["t1", "t2", "t3"])
        #expect(
            SendParser.tokens("('t1.a' in topics || 'in' in topics) && !('topics' in topics)")
                == ["t1.a", "in", "topics"])
    }

    @Test func aSendWithoutABodyMayHaveCarriedAnyTranslation() {
        var facts = Facts()
        for (id, locale) in [(Int64(1), "en"), (2, "fr")] {
            facts.messages.append(.init(id: id, hub: "news", tag: "t1", marker: "1.\(locale)", status: "accepted"))
        }
        facts.arrivals = [
            .init(
                number: 1, hub: "news", at: 1, status: nil, isTaken: false, isWhole: false, tags: "t1 && fr",
                markers: []),
            .init(number: 2, hub: "news", at: 2, status: 201, isTaken: true, tags: "t1 && fr", markers: ["1.fr"]),
        ]
        let parser = SendParser(facts)
        #expect(parser.arrivals[1]?.map(\.number) == [1])
        #expect(parser.arrivals[2]?.map(\.number) == [1, 2])
        #expect(parser.certain == [2: 1])
    }

    @Test func aPackedSendCarriesTheTagsItNames() {
        var facts = Facts()
        for id in Int64(1)...3 {
            facts.messages.append(.init(id: id, hub: "news", tag: "t\(id)", marker: "m", status: "accepted"))
        }
        facts.arrivals = [
            .init(number: 1, hub: "news", at: 1, status: 201, isTaken: true, tags: "t1 || t3", markers: ["m"])
        ]
        #expect(SendParser(facts).arrivals.keys.sorted() == [1, 3])
    }

    /// At the sender of FCM: a condition that carries two rows, and one to a phone, which names no topic.
    @Test func aSendToFCMCarriesTheTopicsOfItsConditionOrTheRowOfItsMarker() {
        var facts = Facts()
        for (id, tag, marker) in [(Int64(1), "t1.0", "m"), (2, "t1.1", "m"), (3, "t1.2", "m"), (4, nil, "n")] {
            facts.messages.append(.init(id: id, hub: "shop", tag: tag, marker: marker, status: "accepted"))
        }
        facts.messages.append(.init(id: 5, hub: "news", tag: nil, marker: "n", status: "accepted"))
        facts.arrivals = [
            .init(
                number: 1, hub: "shop", at: 1, status: 200, isTaken: true,
                tags: "'t1.0' in topics || 't1.2' in topics", markers: ["m"]),
            .init(number: 2, hub: "shop", at: 2, status: 200, isTaken: true, tags: nil, markers: ["n"]),
        ]
        let parser = SendParser(facts)
        #expect(parser.arrivals.mapValues { $0.map(\.number) } == [1: [1], 3: [1], 4: [2]])
        #expect(parser.certain == [1: 1, 3: 1, 4: 1])
    }
}
