import PushModel

/// What was planned, hub by hub, in the order in which it would leave.
package struct PlanBook {
    /// What is kept beside the numbers.
    package struct Wanted {
        package var posts = false
        package var bodies = false
        package var why: WhyApart?

        package init(posts: Bool = false, bodies: Bool = false, why: WhyApart? = nil) {
            (self.posts, self.bodies, self.why) = (posts, bodies, why)
        }
    }

    package struct Hub {
        package let settings: HubSettings
        /// nil: of a campaign, whose messages are not there yet.
        package let lane: PlanLane?
        /// nil: not known.
        package let pace: PlanPace?
        package var tally: PlanTally
        /// Of paused runs: they are not due.
        package var parked: Int32 = 0
        package var posts: [PlannedPost] = []
        /// What they say, if somebody wants to see it.
        package var bodies: [[UInt8]] = []
        /// Recipients of a campaign for each one that was read.
        package var scale = 1.0
        /// Recipients of a campaign for whom no message is made.
        package var leftOut: [Forecast.Loss] = []
    }

    /// Seconds since 1970.
    package let asOf: Double
    package var wanted: Wanted
    package var hubs: [Hub] = []
    /// Lines of a file that the table refuses.
    package var badLines: [BadLine] = []
    /// Lines of a file whose `dedupe_key` is used already.
    package var duplicates: [Int] = []
    /// What there is to say of the whole, such as that there was more than the limit.
    package var notes: [String] = []

    package struct BadLine: Sendable {
        package let line: Int
        package let why: String
        package let hint: String?

        package init(line: Int, why: String, hint: String?) { (self.line, self.why, self.hint) = (line, why, hint) }
    }

    package init(asOf: Double, wanted: Wanted) {
        (self.asOf, self.wanted) = (asOf, wanted)
    }

    package var rows: Int { hubs.reduce(0) { $0 + $1.tally.rows } }

    /// Whether something would not be sent.
    package var hasLosses: Bool {
        !badLines.isEmpty || hubs.contains { $0.tally.refused > 0 || $0.tally.late ?? 0 > 0 }
    }

    /// Begins a hub, or goes on with it.
    ///
    /// - Parameter devices: what is known of those that it has.
    package mutating func begin(_ lane: PlanLane, _ settings: HubSettings, _ pace: PlanPace?, _ devices: KnownDevices) {
        if hubs.last?.settings.name == settings.name {
            hubs[hubs.count - 1].parked += lane.parked
            return
        }
        hubs.append(
            Hub(
                settings: settings, lane: lane, pace: pace,
                tally: PlanTally(
                    of: settings, postsPerSecond: pace?.postsPerSecond, templates: devices.templates,
                    reach: devices.reach), parked: lane.parked))
    }

    /// Plans the first recipients of a campaign on one hub.
    ///
    /// - Parameters:
    ///   - batch: messages of a claim.
    ///   - devices: what is known of those that the hub has.
    ///   - tags: that the audience names.
    package mutating func add(_ sample: SamplePlan, batch: Int, _ devices: KnownDevices, tags: [String]) {
        var tally = PlanTally(of: sample.hub, templates: devices.templates, reach: devices.reach)
        tally.add(targets: tags)
        hubs.append(
            Hub(
                settings: sample.hub, lane: nil, pace: nil, tally: tally, scale: sample.scale, leftOut: sample.leftOut))
        // Refused where the message is made, so the planner does not see it.
        var ended = sample.refused.flatMap { loss in
            Array(
                repeating: Refusal(
                    message: 0, status: .rejected, reason: .notSendable, text: loss.text ?? loss.reason),
                count: Int(loss.recipients))
        }
        for claim in sample.claims(of: batch) {
            add(Array(claim), ended: ended, sample.runContents, priority: sample.priority, now: 0)
            ended = []
        }
        if !ended.isEmpty { add([], ended: ended, [:], priority: sample.priority, now: 0) }
    }

    /// Plans a claim of the hub that was begun last.
    ///
    /// - Parameter now: when it would be claimed, on the clock of `Message.expiresAt`.
    package mutating func add(_ claim: PeekedClaim, priority: Priority, now: Double) {
        add(claim.messages, ended: claim.ended, claim.runContents, priority: priority, now: now)
    }

    private mutating func add(
        _ messages: [Message], ended: [Refusal], _ runContents: [Int64: RunContent], priority: Priority, now: Double
    ) {
        guard var hub = hubs.popLast() else { return }
        let notes = PlanNotes()
        let plan = Plan(messages, for: hub.settings, now: now, runContents: runContents, notes: notes)
        let first = hub.tally.posts + 1
        wanted.why?.add(plan, notes, ended: ended, hub: hub.settings.name, priority: priority, from: first)
        hub.tally.add(plan, notes, of: messages, ended: ended, priority: priority)
        if wanted.posts || wanted.bodies { hub.posts += PlannedPost.posts(of: plan, notes, from: first) }
        if wanted.bodies { hub.bodies += plan.posts.map(\.body) }
        hubs.append(hub)
    }
}
