import Testing

@testable import Chaos
@testable import HubEmulator

/// What the hub's journal says of each recipient.
@Suite struct CampaignJournalTests {
    private func entry(_ number: Int, _ tags: String?, body: String? = "friend", taken: Bool = true) -> JournalEntry {
        JournalEntry(
            number: number, hub: "news", at: 0, elapsed: 0, status: taken ? 201 : 503, taken: taken, tags: tags,
            body: body, reached: 0)
    }

    private func journal(_ entries: [JournalEntry]) -> CampaignJournal {
        var journal = CampaignJournal(audience: CampaignAudience(count: 100))
        journal.read(entries)
        return journal
    }

    @Test func aPackedSendCarriesAllItsTags() {
        let journal = journal([entry(1, "user:1 || user:2 || user:100")])
        #expect([1, 2, 100].map { journal.carried[$0] } == Array(repeating: .init(sends: 1, taken: 1), count: 3))
        #expect(journal.carried[4] == .init())
        #expect(journal.reached == 3)
        #expect(journal.sends == 1)
    }

    @Test func aRefusedSendIsSeenAndNotTaken() {
        let journal = journal([entry(1, "user:1", taken: false), entry(2, "user:1")])
        #expect(journal.carried[1] == .init(sends: 2, taken: 1))
        #expect(journal.reached == 1)
    }

    @Test func whoIsTakenTwiceIsReachedOnce() {
        let journal = journal([entry(1, "user:1"), entry(2, "user:1 || user:2")])
        #expect(journal.carried[1].taken == 2)
        #expect(journal.reached == 2)
    }

    @Test(arguments: [
        ("user:7", "Ada #7#", false), ("user:7", "Ada #32#", true), ("user:7", "friend", true),
        ("user:1", "Ada #7#", true), ("user:1", "friend", false), ("user:7", nil, false),
    ])
    func aTextBelongsToItsRecipient(tag: String, body: String?, isMixedUp: Bool) {
        #expect(journal([entry(1, tag, body: body)]).carried.contains { $0.isMixedUp } == isMixedUp)
    }

    @Test(arguments: ["user:0", "user:101", "user:3!", "news", "user:1 && user:2", nil])
    func aTagOfNobodyIsNamed(tags: String?) {
        let journal = journal([entry(1, tags)])
        #expect(journal.strangeCount == 1)
        #expect(journal.strange == ["send 1: \(tags ?? "")"])
        #expect(journal.reached == 0)
    }

    @Test func itReadsOnWhereItStoppedAndNoticesAGap() {
        var journal = journal([entry(1, "user:1")])
        journal.read([entry(2, "user:2")])
        #expect(!journal.hasGap)
        journal.read([entry(4, "user:4")])
        #expect(journal.hasGap)
        #expect(journal.reached == 3)
    }
}
