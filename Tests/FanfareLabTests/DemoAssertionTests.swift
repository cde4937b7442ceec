import Testing

@testable import HubEmulator
@testable import fanfare_lab

/// What the demo claims is false as soon as one fact is another.
@Suite struct DemoClaimTests {
    /// As a demo without a fault finds them.
    private static let facts: DemoResults = {
        var facts = DemoResults()
        facts.posts = facts.stories.map { story in
            let reached = facts.phones.filter { !$0.expected([story]).isEmpty }.count
            return DemoResults.Post(
                tags: story.target, properties: [], bytes: 1, milliseconds: 1, rows: story.texts.count, status: 201,
                notifications: reached)
        }
        for phone in facts.phones { facts.shown[phone.id] = phone.expected(facts.stories) }
        facts.results = (1...facts.rows).map { id in
            DemoResults.Result(
                id: Int64(id), target: "", locale: "", status: "accepted", reason: "taken_by_hub", http: 201)
        }
        var audit = DeliveryBitmap(count: 2, after: 0)
        audit.read([entry(1, "user:1"), entry(2, "user:2")])
        facts.load = load(audit)
        facts.ended = DemoResults.Ended(isClean: true, isGone: true)
        return facts
    }()

    private static func load(_ audit: DeliveryBitmap, accepted: Int64 = 2) -> DemoLoad.Facts {
        DemoLoad.Facts(
            count: 2, seconds: 1, latency: DemoResults.Latency(messages: accepted, median: 1, p99: 1, slowest: 1),
            audit: audit)
    }

    private static func entry(_ number: Int, _ tags: String, status: Int? = 201) -> JournalEntry {
        JournalEntry(
            number: number, hub: "breaking-news", at: 0, elapsed: 0, status: status, taken: status == 201, tags: tags,
            reached: 0)
    }

    @Test func withoutAFaultEveryClaimHolds() {
        #expect(Self.facts.claims.count == 8)
        #expect(Self.facts.claims.filter { !$0.holds } == [])
        #expect(Self.facts.rows == 17)
        #expect(Self.facts.notifications == 18)
    }

    /// A fact that is another, and the claim that is not true then.
    struct Fault: Sendable {
        let claim: String
        let spoil: @Sendable (inout DemoResults) -> Void

        init(_ claim: String, _ spoil: @escaping @Sendable (inout DemoResults) -> Void) {
            self.claim = claim
            self.spoil = spoil
        }
    }

    @Test(arguments: [
        Fault("rows became") { $0.posts[0].rows -= 1 },
        Fault("rows became") { $0.posts.append($0.posts[0]) },
        Fault("rows became") { $0.posts[0].notifications += 1 },
        Fault("rows became") { $0.results.removeLast() },
        Fault("every phone") { $0.shown["alice"]?.removeLast() },
        Fault("every phone") { $0.shown["chloe"] = $0.shown["alice"] },
        Fault("every phone") { $0.shown["ines"]?.append(DemoText(title: "", news: "")) },
        Fault("the hub took") { $0.posts[0].status = 401 },
        Fault("the hub took") { $0.warnings = ["odd"] },
        Fault("every row") { $0.results[0].status = "in_doubt" },
        Fault("nothing is lost") { $0.lost = 1 },
        Fault("have ended") { $0.ended?.isGone = false },
        Fault("have ended") { $0.ended?.isClean = false },
    ])
    func aFactThatIsNotAsClaimedIsNoticed(fault: Fault) {
        var facts = Self.facts
        fault.spoil(&facts)
        #expect(facts.claims.filter { !$0.holds }.map { $0.text.contains(fault.claim) } == [true])
    }

    @Test(arguments: [
        [entry(1, "user:1")],
        [entry(1, "user:1"), entry(2, "user:2"), entry(3, "user:2")],
        [entry(1, "user:1"), entry(2, "user:2"), entry(3, "user:3")],
        [entry(1, "user:1"), entry(2, "user:2"), entry(3, "user:2", status: 429)],
        [entry(1, "user:1"), entry(3, "user:2")],
    ])
    func aJournalWithoutEachMessageOnceIsNoticed(entries: [JournalEntry]) {
        var audit = DeliveryBitmap(count: 2, after: 0)
        audit.read(entries)
        #expect(Self.load(audit).claims.map(\.holds) == [false, true])
    }

    @Test func tagsThatShareAPostCountEach() {
        var audit = DeliveryBitmap(count: 70, after: 4)
        audit.read([Self.entry(5, (1...70).map { "user:\($0)" }.joined(separator: " || "))])
        #expect(audit.missing == 0)
        #expect(!audit.hasGap)
    }

    @Test func aMessageWithoutAResultIsNoticed() {
        var audit = DeliveryBitmap(count: 2, after: 0)
        audit.read([Self.entry(1, "user:1"), Self.entry(2, "user:2")])
        #expect(Self.load(audit, accepted: 1).claims.map(\.holds) == [true, false])
    }
}
