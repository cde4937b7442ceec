import Foundation
import HubEmulator
import PushModel
import Testing

@testable import Chaos

/// The checker finds what is broken, and nothing where nothing is. Every case is a good end with one thing made wrong.
@Suite struct SteeringCheckerTests {
    typealias Place = SteeringFacts.Place

    /// Keys of each kind.
    static let (sent, doubtful, unsent, suppressed, unreachable) = (1, 10, 11, 5, 3)
    /// When the second run was cancelled.
    static let cancelled = 1_000.0

    /// Two runs: one is done, and one was cancelled before all had been sent.
    static func goodEnd() -> SteeringFacts {
        let audience = CampaignAudience(count: 1_000)
        var facts = SteeringFacts(audience: audience, runs: [SteeredRun(number: 1), SteeredRun(number: 2)])
        (facts.runs[0].state, facts.runs[0].isClosed) = (.done, true)
        facts.runs[0].quiet = [500...600]
        (facts.runs[1].wish, facts.runs[1].state, facts.runs[1].isClosed) = (.cancelled, .cancelled, true)
        facts.runs[1].quiet = [cancelled...2_000]
        for hub in SteeringFacts.hubs {
            for key in audience.keys where audience.kind(of: key) != .suppressed {
                let isUnreachable = audience.kind(of: key) == .unreachable
                facts.recipients[Place(run: 1, hub: hub, key: key)] =
                    isUnreachable
                    ? .init(messages: 1, status: "rejected") : .init(messages: 1, status: "accepted", taken: 1)
                if key < 500, !isUnreachable {
                    facts.recipients[Place(run: 2, hub: hub, key: key)] = .init(messages: 1, status: "cancelled")
                }
            }
        }
        facts.recipients[Place(run: 1, hub: "news", key: doubtful)] = .init(messages: 1, status: "in_doubt", taken: 1)
        facts.recipients[Place(run: 1, hub: "news", key: unsent)] = .init(messages: 1, status: "in_doubt")
        facts.heard = [1: [400, 502, 700], 2: [900, cancelled + SteeringChecker.onTheWire]]
        return facts
    }

    @Test func aGoodEndBreaksNothing() { #expect(SteeringChecker.breaches(in: Self.goodEnd()) == []) }

    /// A fact that is another, and the promise that is broken then, with a word of its example.
    struct Fault: Sendable, CustomTestStringConvertible {
        let promise: SteeringPromise
        let example: String
        let spoil: @Sendable (inout SteeringFacts) -> Void

        init(
            _ promise: SteeringPromise, _ example: String, _ spoil: @escaping @Sendable (inout SteeringFacts) -> Void
        ) {
            (self.promise, self.example, self.spoil) = (promise, example, spoil)
        }

        var testDescription: String { "\(promise): \(example)" }
    }

    private static func place(_ key: Int, run: Int = 1) -> Place { Place(run: run, hub: "news", key: key) }

    @Test(arguments: [
        Fault(.endsAsAsked, "run 1 is paused") { $0.runs[0].state = .paused },
        Fault(.endsAsAsked, "run 1 is missing") { $0.runs[0].state = nil },
        Fault(.endsAsAsked, "run 1 is done, not counted") { $0.runs[0].isClosed = false },
        Fault(.endsAsAsked, "asked to be cancelled") {
            $0.runs[1].state = .done
            for place in $0.recipients.keys where place.run == 2 { $0.recipients[place] = nil }
        },
        Fault(.endsAsAsked, "3 pointers or claims") { $0.left = 3 },
        Fault(.oneMessageEach, "key 1 of run 1 on news has 2") { $0.recipients[place(sent)]?.messages = 2 },
        Fault(.oneMessageEach, "key 1 of run 1 on news has 0") { $0.recipients[place(sent)] = nil },
        Fault(.oneEndEach, "without a result") { $0.recipients[place(sent, run: 2)]?.status = "" },
        Fault(.oneEndEach, "key 11 of run 1 on news is cancelled") {
            $0.recipients[place(unsent)]?.status = "cancelled"
        },
        Fault(.oneEndEach, "key 11 of run 1 on news is rejected") { $0.recipients[place(unsent)]?.status = "rejected" },
        Fault(.suppressedGetNothing, "has 1 messages") { $0.recipients[place(suppressed)] = .init(messages: 1) },
        Fault(.suppressedGetNothing, "was taken 1 times") { $0.recipients[place(suppressed)] = .init(taken: 1) },
        Fault(.nothingIsRepeated, "taken 2 times") { $0.recipients[place(doubtful)]?.taken = 2 },
        Fault(.acceptedMeansTaken, "key 1 of run 1") { $0.recipients[place(sent)]?.taken = 0 },
        Fault(.takenIsRecorded, "was taken and is cancelled") { $0.recipients[place(sent, run: 2)]?.taken = 1 },
        Fault(.silenceIsKept, "run 1 came 50.0 s after") { $0.heard[1]?.append(550) },
        Fault(.silenceIsKept, "run 2 came 100.0 s after") { $0.heard[2]?.append(cancelled + 100) },
        Fault(.nobodyElseIsSent, "send 9: user:0") { $0.strange = ["send 9: user:0"] },
        Fault(.numbersAgree, "c1 shows") { $0.differences = ["c1 shows 2 and has 3"] },
        Fault(.numbersAgree, "not whole") { $0.hasGap = true },
        Fault(.viewsOnlyRead, "ran as postgres") { $0.hostile = ["code of a view ran as postgres"] },
        Fault(.lostIsEmpty, "push.lost: 7") { $0.lost = ["7 has no pointer"] },
    ])
    func whatIsBrokenIsFound(fault: Fault) {
        var facts = Self.goodEnd()
        fault.spoil(&facts)
        let breaches = SteeringChecker.breaches(in: facts)
        #expect(breaches.map(\.promise).contains(fault.promise))
        #expect(
            breaches.filter { $0.promise == fault.promise }.flatMap(\.examples).contains { $0.contains(fault.example) })
    }

    /// A worker that was stopped with posts in hand may send them when it goes on; a cancel without an answer allows both ends.
    @Test func whatNobodyCanKnowIsNotHeldAgainstARun() {
        var facts = Self.goodEnd()
        facts.heard[1]?.append(550)
        facts.standstills = [540...555]
        facts.runs[0].wish = .either
        #expect(SteeringChecker.breaches(in: facts) == [])
    }
}

@Suite struct SteeringFactsTests {
    private func entry(_ number: Int, tags: String, body: String?, taken: Bool = true) throws -> JournalEntry {
        var form: [String: Any] = [
            "number": number, "hub": "news", "kind": "send", "at": Double(number), "elapsed": 0.0, "taken": taken,
            "tags": tags, "reached": 1,
        ]
        form["body"] = body
        return try JSONDecoder().decode(JournalEntry.self, from: JSONSerialization.data(withJSONObject: form))
    }

    @Test func eachSendIsReadByTheMarkerInItsBody() throws {
        var facts = SteeringFacts(audience: CampaignAudience(count: 1_000), runs: [])
        facts.read([
            try entry(1, tags: "(user:7 || user:8) && English", body: "Ada #7#, https://example.com/#c12#"),
            try entry(2, tags: "user:7", body: "https://example.com/#c13#", taken: false),
            try entry(3, tags: "user:9", body: nil),
        ])
        #expect(facts.recipients[.init(run: 12, hub: "news", key: 7)]?.taken == 1)
        #expect(facts.recipients[.init(run: 12, hub: "news", key: 8)]?.taken == 1)
        #expect(facts.recipients[.init(run: 13, hub: "news", key: 7)] == nil)
        #expect(facts.heard == [12: [1], 13: [2]])
        #expect(facts.strange == ["send 1: English"])
        #expect(!facts.hasGap)
    }

    @Test func silenceBeginsWithTheFirstAnswerAndEndsWithTheNextWish() {
        var run = SteeredRun(number: 1)
        run.expectQuiet(from: 10)
        run.expectQuiet(from: 12)
        run.allowTraffic(from: 20)
        run.allowTraffic(from: 30)
        #expect(run.quiet == [10...20])
    }
}
