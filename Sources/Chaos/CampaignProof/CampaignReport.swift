import Foundation

/// What a campaign of a chaos run was and what was found.
public struct CampaignReport: Sendable {
    public let options: CampaignRun.Options
    public let breaches: [Breach<CampaignPromise>]
    public internal(set) var directory = ""
    /// Recipients with a message, by status.
    let states: [String: Int]
    let suppressed: Int
    let taken: Int
    let sends: Int
    let posts: Int64
    let unanswered: Int
    let slices: Int64
    let mostAhead: Int64
    let held: Int64
    /// From the start of the run to the end of its last message.
    var seconds = 0.0
    var disturbed: [DisturbancePlan.Moment] = []
    /// Seconds from each kill to the end of its rescue.
    var rescues: [Double] = []
    /// What the run itself met: workers that ended by themselves, faults that failed or came too late.
    var troubles: [String] = []

    init(options: CampaignRun.Options, facts: CampaignFacts, breaches: [Breach<CampaignPromise>]) {
        self.options = options
        self.breaches = breaches
        let keys = facts.audience.keys
        states = Dictionary(grouping: keys.lazy.filter { facts.recipients[$0].messages > 0 }) { key in
            facts.recipients[key].status.isEmpty ? "without a result" : facts.recipients[key].status
        }.mapValues(\.count)
        suppressed = keys.count { facts.audience.kind(of: $0) == .suppressed }
        taken = keys.count { facts.recipients[$0].taken > 0 }
        sends = facts.sends
        posts = facts.posts
        unanswered = facts.unanswered.count
        slices = facts.slices.count
        mostAhead = facts.mostAhead
        held = facts.heldByKilled
    }

    /// No promise was broken and the run went as it should.
    public var isGood: Bool { troubles.isEmpty && breaches.isEmpty }

    private var perSecond: Double { seconds > 0 ? Double(options.recipients) / seconds : 0 }

    /// For people.
    public var text: String {
        var lines = [
            "Seed \(options.seed), a campaign to \(options.recipients) recipients, \(options.workers) workers", "",
        ]
        lines += ["Injuries"]
        lines += disturbed.map {
            "  \($0.disturbance.rawValue), when the hub had \(String(format: "%.1f", $0.share * 100)) % of the recipients"
        }
        lines += ["", "Recipients"] + states.sorted { $0.key < $1.key }.map { Report.line($0.key, $0.value) }
        lines += [
            Report.line("suppressed", suppressed), Report.line("taken by the hub", taken), "", "Posts",
            Report.line("written down", Int(posts)), Report.line("seen by the hub", sends),
            Report.line("without an answer", unanswered), "", "Slices", Report.line("made", Int(slices)),
            Report.line("messages that waited, at most", Int(mostAhead)),
            Report.line("messages that killed workers held", Int(held)), "",
            "The run took \(Report.seconds(seconds)): \(Int(perSecond)) recipients a second, faults included.",
            "Rescue of a killed worker took at most \(Report.seconds(rescues.max() ?? 0)), its lease included.",
        ]
        lines += troubles.isEmpty ? [] : ["", "Trouble"] + troubles.map { "  \($0)" }
        lines += ["", "Promises"] + Breach.lines(breaches)
        return lines.joined(separator: "\n")
    }

    /// For programs.
    public var json: String {
        get throws {
            let form = Form(
                seed: "\(options.seed)", recipients: options.recipients, workers: options.workers,
                injections: disturbed.map { .init(kind: $0.disturbance.rawValue, share: $0.share) }, messages: states,
                suppressed: suppressed, taken: taken, posts: posts, sends: sends, unanswered: unanswered,
                slices: slices,
                mostAhead: mostAhead, heldByKilled: held, seconds: seconds, worstRescueSeconds: rescues.max() ?? 0,
                troubles: troubles,
                violations: breaches.map(\.form),
                good: isGood)
            return try form.report
        }
    }

    private struct Form: Encodable {
        struct Injection: Encodable {
            var kind: String
            /// Of the recipients that the hub had then, 0 to 1.
            var share: Double
        }
        /// A string: many JSON readers lose digits of a 64-bit number.
        var seed: String
        var recipients: Int
        var workers: Int
        var injections: [Injection]
        var messages: [String: Int]
        var suppressed: Int
        var taken: Int
        var posts: Int64
        var sends: Int
        var unanswered: Int
        var slices: Int64
        var mostAhead: Int64
        var heldByKilled: Int64
        var seconds: Double
        var worstRescueSeconds: Double
        var troubles: [String]
        var violations: [Breach<CampaignPromise>.Form]
        var good: Bool
    }
}
