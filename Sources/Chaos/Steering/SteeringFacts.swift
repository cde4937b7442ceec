import HubEmulator
import PushModel

/// What is known after runs were steered: the answers that the person got, what the tables say, and what the hubs saw.
struct SteeringFacts: Sendable {
    /// A recipient of a run on one of its hubs.
    struct Place: Hashable, Sendable {
        var run: Int
        var hub: String
        var key: Int
    }

    struct Recipient: Sendable, Equatable {
        /// Rows of push.message.
        var messages = 0
        /// Of its newest result; empty: none.
        var status = ""
        /// Sends that the hub took.
        var taken = 0
    }

    let audience: CampaignAudience
    /// In the order of their numbers, which begin with 1.
    var runs: [SteeredRun]
    var recipients: [Place: Recipient] = [:]
    /// By run: when its sends arrived, in seconds since 1970.
    var heard: [Int: [Double]] = [:]
    /// When workers stood still, seconds since 1970: posts that they held may arrive when they continue.
    var standstills: [ClosedRange<Double>] = []
    /// Messages and sends that are nobody's.
    var strange: [String] = []
    /// The journal of the hubs is not whole.
    var hasGap = false
    /// Pointers in push.due and rows of push.claim at the end.
    var left: Int64 = 0
    /// What looks at the numbers found.
    var differences: [String] = []
    /// What views did that is not theirs to do, and their runs that neither ended nor say why they are paused.
    var hostile: [String] = []
    /// Rows of push.lost.
    var lost: [String] = []

    init(audience: CampaignAudience, runs: [SteeredRun]) { (self.audience, self.runs) = (audience, runs) }

    static let hubs = ["news", "local"]

    mutating func read(_ entries: [JournalEntry]) {
        var number = 0
        for entry in entries {
            if entry.number != number + 1 { hasGap = true }
            number = entry.number
            // A body that was never read names no run, and nothing of it was taken.
            guard let body = entry.body, let run = Self.run(in: body) else { continue }
            heard[run, default: []].append(entry.at)
            for token in SendParser.tokens(entry.tags ?? "") {
                guard let key = audience.key(of: token) else {
                    strange.append("send \(entry.number): \(token)")
                    continue
                }
                if entry.taken { recipients[Place(run: run, hub: entry.hub, key: key), default: .init()].taken += 1 }
            }
        }
    }

    /// The marker that `SteeredRun.spec` put there.
    private static func run(in body: String) -> Int? {
        SendParser.markers(in: body).lazy.compactMap { $0.hasPrefix("c") ? Int($0.dropFirst()) : nil }.first
    }
}
