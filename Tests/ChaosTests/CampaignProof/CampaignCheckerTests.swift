@testable import Store
import Testing

@testable import Chaos

/// The checker finds what is broken, and nothing where nothing is. Every case is a good run with one thing made wrong.
@Suite struct CampaignCheckerTests {
    /// As a run leaves it in which one worker was killed: its last post has no answer.
    static func goodRun() -> CampaignFacts {
        let audience = CampaignAudience(count: 2_000)
        var facts = CampaignFacts(audience: audience)
        var (states, suppressed): ([String: Int64], Int64) = ([:], 0)
        for key in audience.keys {
            switch audience.kind(of: key) {
            case .suppressed: suppressed += 1
            case .unreachable: facts.recipients[key] = .init(messages: 1, status: "rejected")
            case .named, .unnamed:
                facts.recipients[key] = .init(messages: 1, status: "accepted", sends: 1, taken: 1)
            }
        }
        facts.recipients[doubtful] = .init(messages: 1, status: "in_doubt", sends: 1, taken: 1)
        facts.recipients[unsent] = .init(messages: 1, status: "in_doubt")
        facts.unanswered = [[doubtful], [unsent]]
        for recipient in facts.recipients where recipient.messages > 0 { states[recipient.status, default: 0] += 1 }
        let made = Int64(audience.count) - suppressed
        facts.slices = .init(count: 4, rows: made, suppressed: suppressed, counted: states)
        facts.progress = RunProgress(
            campaign: "spring", key: "chaos", state: .done, why: nil, expanded: made, total: 2_000, isExpanded: true,
            accepted: states["accepted"] ?? 0, rejected: states["rejected"] ?? 0, expired: 0, cancelled: 0, inDoubt: 2,
            underWay: 0, pending: 0, suppressed: suppressed, reasons: "{}", perSecond: 0, rate: nil, eta: nil,
            revision: 1,
            took: 1, startedAt: "", startedBy: "", unserved: [])
        let accepted = Facts.Count(hub: "news", status: "accepted", reason: "taken_by_hub")
        facts.tally = [accepted: Int(states["accepted"] ?? 0)]
        facts.counted = facts.tally
        facts.kills = 1
        facts.heldByKilled = 1_000
        facts.mostAhead = 51_000
        return facts
    }

    /// Keys of each kind.
    static let (unnamed, named, doubtful, unsent) = (1, 7, 10, 11)
    static let (suppressed, unreachable) = (5, 3)

    private func broken(_ spoil: (inout CampaignFacts) -> Void) -> [Breach<CampaignPromise>] {
        var facts = Self.goodRun()
        spoil(&facts)
        return CampaignChecker.breaches(in: facts)
    }

    /// A key of each kind is what its name says, or the cases below say nothing.
    @Test func theKeysAreOfTheirKinds() {
        let audience = CampaignAudience(count: 2_000)
        let kinds = [Self.unnamed, Self.named, Self.doubtful, Self.unsent, Self.suppressed, Self.unreachable]
            .map(audience.kind(of:))
        #expect(kinds == [.unnamed, .named, .unnamed, .unnamed, .suppressed, .unreachable])
    }

    @Test func aGoodRunBreaksNothing() {
        #expect(CampaignChecker.breaches(in: Self.goodRun()) == [])
    }

    /// A fact that is another, and the promise that is broken then, with a word of its example.
    struct Fault: Sendable, CustomTestStringConvertible {
        let promise: CampaignPromise
        let example: String
        let spoil: @Sendable (inout CampaignFacts) -> Void

        init(
            _ promise: CampaignPromise, _ example: String,
            _ spoil: @escaping @Sendable (inout CampaignFacts) -> Void
        ) {
            (self.promise, self.example, self.spoil) = (promise, example, spoil)
        }

        var testDescription: String { "\(promise): \(example)" }
    }

    @Test(arguments: [
        Fault(.runIsDone, "the run is running") { $0.progress?.state = .running },
        Fault(.runIsDone, "its audience cannot be read") {
            $0.progress?.state = .paused
            $0.progress?.why = "its audience cannot be read"
        },
        Fault(.runIsDone, "the run is gone") { $0.progress = nil },
        Fault(.runIsDone, "3 pointers or claims") { $0.left = 3 },
        Fault(.oneMessageEach, "key 1 has 0 messages") { $0.recipients[unnamed] = .init() },
        Fault(.oneMessageEach, "key 7 has 2 messages") { $0.recipients[named].messages = 2 },
        Fault(.suppressedGetNothing, "key 5 has 1 messages") { $0.recipients[suppressed].messages = 1 },
        Fault(.suppressedGetNothing, "sent 1 times") { $0.recipients[suppressed].sends = 1 },
        Fault(.unreachableAreRejected, "key 3 is accepted") { $0.recipients[unreachable].status = "accepted" },
        Fault(.unreachableAreRejected, "sent 1 times") { $0.recipients[unreachable].sends = 1 },
        Fault(.everybodyElseIsSent, "key 1 is rejected") { $0.recipients[unnamed].status = "rejected" },
        Fault(.everybodyElseIsSent, "key 1 is without a result") { $0.recipients[unnamed].status = "" },
        Fault(.nothingIsRepeated, "key 1 was taken 2 times") { $0.recipients[unnamed].taken = 2 },
        Fault(.nothingIsRepeated, "key 10 was taken 2 times") { $0.recipients[doubtful].taken = 2 },
        Fault(.acceptedMeansTaken, "key 7 is accepted and was taken 0 times") { $0.recipients[named].taken = 0 },
        Fault(.takenIsRecorded, "key 1 was taken and is retrying") { $0.recipients[unnamed].status = "retrying" },
        Fault(.textIsTheirOwn, "key 7") { $0.recipients[named].isMixedUp = true },
        Fault(.nobodyElseIsSent, "1 messages") { $0.strangeMessages = 1 },
        Fault(.nobodyElseIsSent, "user:0") { $0.strangeTags = (1, ["send 9: user:0"]) },
        Fault(.doubtHasAPost, "key 11 is in doubt") { $0.unanswered = [[doubtful]] },
        Fault(.doubtHasAPost, "41 posts did not reach the hub") {
            $0.unanswered += Array(repeating: [unsent], count: 40)
        },
        Fault(.doubtHasAPost, "0 kills explain at most 0") { $0.kills = 0 },
        Fault(.countsAgree, "run_progress.accepted") { $0.progress?.accepted -= 1 },
        Fault(.countsAgree, "run_progress.rejected") { $0.progress?.rejected += 1 },
        Fault(.countsAgree, "run_progress.expired") { $0.progress?.expired += 1 },
        Fault(.countsAgree, "run_progress.cancelled") { $0.progress?.cancelled += 1 },
        Fault(.countsAgree, "run_progress.in_doubt") { $0.progress?.inDoubt = 0 },
        Fault(.countsAgree, "run_progress.under_way") { $0.progress?.underWay = 1 },
        Fault(.countsAgree, "run_progress.pending") { $0.progress?.pending = 1 },
        Fault(.countsAgree, "run_progress.suppressed") { $0.progress?.suppressed -= 1 },
        Fault(.countsAgree, "run_progress.expanded") { $0.progress?.expanded -= 1 },
        Fault(.countsAgree, "run_progress.total") { $0.progress?.total = nil },
        Fault(.countsAgree, "push.slice.rows") { $0.slices.rows += 1 },
        Fault(.countsAgree, "push.slice.left_out") { $0.slices.suppressed += 1 },
        Fault(.countsAgree, "push.slice_count of accepted") { $0.slices.counted["accepted"] = 0 },
        Fault(.countsAgree, "by the hub's journal") { $0.recipients[named].taken = 0 },
        Fault(.countsAgree, "the tally of accepted") { $0.tally = [:] },
        Fault(.countsAgree, "the tally of accepted") { $0.counted = [:] },
        Fault(.countsAgree, "journal is not whole") { $0.hasGap = true },
        Fault(.fewAreAhead, "51001 waited at once") { $0.mostAhead += 1 },
        Fault(.lostIsEmpty, "17 is nowhere") { $0.lost = ["17 is nowhere"] },
    ])
    func aFactThatIsNotAsPromisedIsNoticed(fault: Fault) {
        let breach = broken(fault.spoil).first { $0.promise == fault.promise }
        #expect(breach?.examples.contains { $0.contains(fault.example) } == true)
    }

    @Test func tenExamplesAreKeptAndAllAreCounted() {
        let breaches = broken { facts in
            for key in facts.audience.keys { facts.recipients[key].taken *= 2 }
        }
        let repeated = breaches.first { $0.promise == .nothingIsRepeated }
        #expect(repeated?.examples.count == 10)
        #expect(repeated?.count == Self.goodRun().recipients.count { $0.taken > 0 })
    }
}
