import Testing

@testable import Chaos

/// The checker tells what a connection of many requests says about each of them from what nobody can know.
@Suite struct WordCheckerTests {
    /// Posts to APNs without an answer: one was taken and never answered, the worker of another one was killed; a third was
    /// refused unread, and taken at its second try.
    static func addPosts(to facts: inout Facts) {
        func message(_ id: Int64, _ status: String) {
            facts.messages.append(.init(id: id, hub: "ios", tag: nil, marker: "m\(id)", status: status))
        }
        func arrival(_ number: Int, _ post: Int64, status: Int?, isTaken: Bool, isRefused: Bool = false) {
            facts.arrivals.append(
                .init(
                    number: number, hub: "ios", at: Double(number), status: status, isTaken: isTaken,
                    isSpoilt: status == nil, isRefused: isRefused, receipt: "p\(post)", post: post, tags: nil,
                    markers: ["m\(post / 10_000)"]))
        }
        message(201, "in_doubt")
        facts.posts.append(.init(id: 2_010_001, messages: [201], answer: .init("unknown", at: 202)))
        arrival(201, 2_010_001, status: nil, isTaken: true)
        facts.results.append(.init(id: 201, post: 2_010_001, at: 202, status: "in_doubt", reason: "answer_lost"))
        message(202, "in_doubt")
        facts.posts.append(.init(id: 2_020_001, messages: [202]))
        facts.results.append(.init(id: 202, post: 2_020_001, at: 202, status: "in_doubt", reason: "worker_lost"))
        message(203, "accepted")
        facts.posts.append(.init(id: 2_030_001, messages: [203], answer: .init("not_sent", at: 203)))
        arrival(203, 2_030_001, status: nil, isTaken: false, isRefused: true)
        facts.results.append(.init(id: 203, post: 2_030_001, at: 203, status: "retrying", reason: "not_sent"))
        facts.posts.append(
            .init(id: 2_030_002, messages: [203], answer: .init("accepted", receipt: "p2030002", at: 204)))
        arrival(204, 2_030_002, status: 200, isTaken: true)
        facts.results.append(.init(id: 203, post: 2_030_002, at: 204, status: "accepted", reason: "taken_by_hub"))
    }

    private static func run(_ change: (inout Facts, Int) -> Void) -> [Violation] {
        var facts = Facts()
        addPosts(to: &facts)
        change(&facts, facts.arrivals.firstIndex { $0.number == 201 } ?? 0)
        return Checker.violations(in: facts).filter { $0.promise == .wordsMeanNoDoubt }
    }

    @Test func whatAPNsLeavesWithoutAnAnswerMayBeInDoubt() {
        #expect(Self.run { _, _ in } == [])
    }

    @Test func whatItAnsweredMayNot() {
        let found = Self.run { ($0.arrivals[$1].status, $0.arrivals[$1].isSpoilt) = (200, false) }
        #expect(found.map(\.message) == [201])
    }

    @Test func whatItRefusedUnreadMayNot() {
        let found = Self.run { ($0.arrivals[$1].isRefused, $0.arrivals[$1].isTaken) = (true, false) }
        #expect(found.map(\.message) == [201])
    }

    @Test func whatNeverArrivedMayNot() {
        #expect(Self.run { $0.arrivals.remove(at: $1) }.map(\.message) == [201])
    }

    @Test func unlessConnectionsEndedWithoutAWord() {
        let found = Self.run { facts, index in
            (facts.arrivals[index].status, facts.arrivals[index].isSpoilt) = (200, false)
            facts.cuts = [195...205]
        }
        #expect(found == [])
        let lost = Self.run { facts, index in
            facts.arrivals.remove(at: index)
            facts.cuts = [195...201]
        }
        #expect(lost.map(\.message) == [201], "the answer was given up a second later")
    }

    @Test func whatWasRefusedUnreadMayBeSentAgain() {
        var facts = Facts()
        Self.addPosts(to: &facts)
        #expect(Checker.violations(in: facts) == [])
        let index = facts.arrivals.firstIndex { $0.number == 203 } ?? 0
        facts.arrivals[index].isRefused = false
        #expect(Checker.violations(in: facts).map(\.promise) == [.nothingIsRepeated])
    }

    /// A send that was cut before its body says by its id what it carries.
    @Test func anIDSaysWhichPostASendIs() {
        var facts = Facts()
        Self.addPosts(to: &facts)
        facts.arrivals = [
            .init(
                number: 1, hub: "ios", at: 1, status: nil, isTaken: false, isWhole: false, isSpoilt: true,
                post: 2_020_001, tags: nil, markers: [])
        ]
        let parser = SendParser(facts)
        #expect(parser.arrivals.mapValues { $0.map(\.number) } == [202: [1]])
        #expect(parser.strange == [])
    }

    @Test func theIDOfAPostIsTheEndOfItsIDAtAPNs() {
        let id = "01234567-89ab-8def-8000-00000001e240"
        #expect(EvidenceReader.post(of: id, at: "ios") == 123_456)
        #expect(EvidenceReader.post(of: id, at: "news") == nil)
        #expect(EvidenceReader.post(of: nil, at: "ios") == nil)
    }
}
