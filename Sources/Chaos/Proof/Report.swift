/// What a run was and what it found.
public struct Report: Sendable {
    public let options: ChaosRun.Options
    public let violations: [Violation]
    public internal(set) var directory = ""
    /// What became of the messages of one hub.
    struct HubSummary: Sendable, Equatable {
        /// By status, and by the reason of their newest result if they have one: `rejected, resolved`.
        var states: [String: Int] = [:]
        /// Sends that the hub saw, and those that it took.
        var sends = 0
        var taken = 0
    }

    /// By the names of all hubs.
    let hubs: [String: HubSummary]
    /// Changes of devices by their final result.
    let changes: [String: Int]
    let posts: Int
    /// Messages that were in doubt at some time, and are so at the end.
    let doubted: Int
    let inDoubt: Int
    let confirmed: Int
    /// The longest time from the INSERT of an urgent message to its post, in seconds, while bulk posts filled every window;
    /// nil: none was sent.
    let slowestUrgent: Double?
    var unconfirmed = 0
    /// Access tokens that FCM gave out.
    var accessTokens = 0
    /// Seconds until everything had come to rest.
    var restSeconds = 0.0
    /// What people did.
    var actions: [String: Int] = [:]
    /// Seconds from each kill to the end of its rescue.
    var rescues: [Double] = []
    /// What the run itself met: workers that ended by themselves, faults that failed.
    var troubles: [String] = []
    /// By kind: how often, and the longest time in seconds in which the hub took nothing.
    private(set) var injections: [InjectedFault.Kind: (count: Int, worst: Double)] = [:]

    init(options: ChaosRun.Options, facts: Facts, violations: [Violation]) {
        self.options = options
        self.violations = violations
        var newest: [Int64: Facts.Result] = [:]
        for result in facts.results where newest[result.id].map({ $0.arrival <= result.arrival }) ?? true {
            newest[result.id] = result
        }
        var hubs = Dictionary(uniqueKeysWithValues: TestHub.allCases.map { ($0.rawValue, HubSummary()) })
        for message in facts.messages {
            let state = message.status + (newest[message.id].map { ", \($0.reason)" } ?? "")
            hubs[message.hub, default: HubSummary()].states[state, default: 0] += 1
        }
        for arrival in facts.arrivals {
            hubs[arrival.hub, default: HubSummary()].sends += 1
            if arrival.isTaken { hubs[arrival.hub, default: HubSummary()].taken += 1 }
        }
        self.hubs = hubs
        changes = Dictionary(grouping: facts.changes) { $0.results.first ?? "waiting" }.mapValues(\.count)
        posts = facts.posts.count
        doubted = Set(facts.results.filter { $0.status == "in_doubt" }.map(\.id)).count
        inDoubt = facts.messages.count { $0.status == "in_doubt" }
        confirmed = facts.confirmed.count
        slowestUrgent = facts.urgentWaits().values.max()
    }

    mutating func note(_ done: [FaultInjector.Done], in facts: Facts) {
        let taken = facts.arrivals.filter(\.isTaken).map(\.at).sorted()
        for injection in done {
            let seconds = Self.silence(from: injection.began, to: injection.ended, taken)
            let before = injections[injection.kind] ?? (0, 0)
            injections[injection.kind] = (before.count + 1, max(before.worst, seconds))
        }
    }

    /// The longest time without a send that was taken, from the beginning of a fault to the first one after its end.
    ///
    /// - Parameter taken: when sends were taken, in order.
    static func silence(from began: Double, to ended: Double, _ taken: [Double]) -> Double {
        func first(after moment: Double) -> Int {
            var (low, high) = (0, taken.count)
            while low < high {
                let middle = (low + high) / 2
                if taken[middle] > moment { high = middle } else { low = middle + 1 }
            }
            return low
        }
        let moments = [began] + taken[first(after: began)..<min(first(after: ended) + 1, taken.count)]
        return zip(moments, moments.dropFirst()).map { $1 - $0 }.max() ?? 0
    }

    /// Of all hubs.
    var states: [String: Int] { hubs.values.reduce(into: [:]) { $0.merge($1.states) { $0 + $1 } } }

    /// Hubs that took nothing: the run proves nothing about them.
    var untried: [String] { hubs.filter { $0.value.taken == 0 }.keys.sorted() }

    /// What a standby that lagged had not received; accounted apart, because no promise is made about it.
    public var losses: [Violation] { violations.filter(\.isLoss) }

    /// Promises that were broken by nobody's loss.
    public var breaches: [Violation] { violations.filter { !$0.isLoss } }

    /// No promise was broken and the run went as it should.
    public var isGood: Bool { troubles.isEmpty && breaches.isEmpty && untried.isEmpty }
}
