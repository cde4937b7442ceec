/// Finds every promise about a campaign that was not kept. Pure: facts in, breaches out.
public struct CampaignChecker {
    private let facts: CampaignFacts
    private var breaches = Breaches<CampaignPromise>()
    /// Recipients with a message, by status.
    private var states: [String: Int64] = [:]
    private var suppressed: Int64 = 0
    /// Recipients that the hub took, and those of them that are in doubt.
    private var reached: Int64 = 0
    private var reachedInDoubt: Int64 = 0

    /// Posts that one worker has on the wire or sends within milliseconds: the window of the hub and a quarter of it
    /// (docs/reliability.md).
    static let inFlight = TestBed.window + TestBed.window / 4
    /// Messages that may wait ahead of sending (docs/campaigns.md).
    static let ahead: Int64 = 50_000

    /// In the order of the promises; empty: all were kept.
    public static func breaches(in facts: CampaignFacts) -> [Breach<CampaignPromise>] {
        var checker = CampaignChecker(facts)
        for key in facts.audience.keys { checker.check(key) }
        checker.checkRun()
        checker.checkStrangers()
        checker.checkDoubt()
        checker.checkCounts()
        return checker.breaches.all
    }

    private init(_ facts: CampaignFacts) { self.facts = facts }

    private mutating func report(_ promise: CampaignPromise, _ example: String) { breaches.report(promise, example) }

    private mutating func check(_ key: Int) {
        let this = facts.recipients[key]
        let kind = facts.audience.kind(of: key)
        if this.messages > 0 { states[this.status, default: 0] += 1 }
        if this.taken > 0 {
            reached += 1
            if this.status == "in_doubt" { reachedInDoubt += 1 }
        }
        if this.taken > 1 { report(.nothingIsRepeated, "key \(key) was taken \(this.taken) times") }
        if this.isMixedUp { report(.textIsTheirOwn, "key \(key) got a text that is not theirs") }
        if kind == .suppressed {
            suppressed += 1
            if this.messages > 0 || this.sends > 0 {
                report(
                    .suppressedGetNothing, "key \(key) has \(this.messages) messages and was sent \(this.sends) times")
            }
            return
        }
        if this.messages != 1 { report(.oneMessageEach, "key \(key) has \(this.messages) messages") }
        if kind == .unreachable {
            if this.status != "rejected" || this.sends > 0 {
                report(.unreachableAreRejected, "key \(key) is \(Self.told(this)) and was sent \(this.sends) times")
            }
            return
        }
        let isSettled = this.status == "accepted" || this.status == "in_doubt"
        if !isSettled { report(.everybodyElseIsSent, "key \(key) is \(Self.told(this))") }
        if this.taken > 0, !isSettled {
            report(.takenIsRecorded, "key \(key) was taken and is \(Self.told(this))")
        }
        if this.status == "accepted", this.taken != 1 {
            report(.acceptedMeansTaken, "key \(key) is accepted and was taken \(this.taken) times")
        }
    }

    private static func told(_ recipient: CampaignFacts.Recipient) -> String {
        recipient.status.isEmpty ? "without a result" : recipient.status
    }

    private mutating func checkRun() {
        let state = facts.progress?.state
        if state != .done {
            report(.runIsDone, "the run is \(state?.rawValue ?? "gone")\(facts.progress?.why.map { ": \($0)" } ?? "")")
        }
        if facts.left > 0 { report(.runIsDone, "\(facts.left) pointers or claims are left") }
        for line in facts.lost { report(.lostIsEmpty, "push.lost: \(line)") }
        let bound = Self.ahead + facts.heldByKilled
        if facts.mostAhead > bound {
            report(
                .fewAreAhead,
                "\(facts.mostAhead) waited at once; \(facts.heldByKilled) of them may have come back from killed workers"
            )
        }
    }

    private mutating func checkStrangers() {
        if facts.strangeMessages > 0 {
            report(.nobodyElseIsSent, "\(facts.strangeMessages) messages of the run are no recipient's")
        }
        if facts.strangeTags.count > 0 {
            report(
                .nobodyElseIsSent, "\(facts.strangeTags.count) tags are no recipient's: \(facts.strangeTags.examples)")
        }
        if facts.hasGap { report(.countsAgree, "the hub's journal is not whole, so nothing is proved") }
    }

    private mutating func checkDoubt() {
        let unanswered = Set(facts.unanswered.joined())
        for key in facts.audience.keys where facts.recipients[key].status == "in_doubt" && !unanswered.contains(key) {
            report(.doubtHasAPost, "key \(key) is in doubt, and every post of it was answered")
        }
        // What the hub took was answered, too, and the answer not recorded yet: on a busy machine that may be a lot.
        let unseen = facts.unanswered.count { post in post.allSatisfy { facts.recipients[$0].taken == 0 } }
        let bound = facts.kills * Self.inFlight
        if unseen > bound {
            report(
                .doubtHasAPost,
                "\(unseen) posts did not reach the hub, and \(facts.kills) kills explain at most \(bound)")
        }
    }

    private mutating func checkCounts() {
        let made = Int64(facts.audience.count) - suppressed
        let progress = facts.progress
        compare("run_progress.accepted", progress?.accepted, states["accepted"] ?? 0)
        compare("run_progress.rejected", progress?.rejected, states["rejected"] ?? 0)
        compare("run_progress.expired", progress?.expired, states["expired"] ?? 0)
        compare("run_progress.cancelled", progress?.cancelled, states["cancelled"] ?? 0)
        compare("run_progress.in_doubt", progress?.inDoubt, states["in_doubt"] ?? 0)
        compare("run_progress.under_way", progress?.underWay, 0)
        compare("run_progress.pending", progress?.pending, 0)
        compare("run_progress.suppressed", progress?.suppressed, suppressed)
        compare("run_progress.expanded", progress?.expanded, made)
        compare("run_progress.total", progress?.total, Int64(facts.audience.count))
        compare("the sum of push.slice.rows", facts.slices.rows, made)
        compare("the sum of push.slice.left_out", facts.slices.suppressed, suppressed)
        for status in Set(facts.slices.counted.keys).union(states.keys).sorted() {
            compare("push.slice_count of \(status)", facts.slices.counted[status] ?? 0, states[status] ?? 0)
        }
        compare("accepted, by the hub's journal,", reached - reachedInDoubt, states["accepted"] ?? 0)
        for count in Set(facts.tally.keys).union(facts.counted.keys) {
            let results = facts.counted[count] ?? 0
            compare("the tally of \(count.status), \(count.reason)", Int64(facts.tally[count] ?? 0), Int64(results))
        }
    }

    private mutating func compare(_ name: String, _ said: Int64?, _ counted: Int64) {
        guard said != counted else { return }
        report(.countsAgree, "\(name) is \(said.map { "\($0)" } ?? "unknown") and should be \(counted)")
    }
}
