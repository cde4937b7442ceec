import Postgres
import PushModel
import Store

/// What a run of a revision would do: what the check found, and the plan of its first recipients.
struct CampaignForecast: Sendable {
    var findings: Attempt<[CampaignStore.Finding]>
    /// nil: its mistakes come first.
    var plan: Attempt<CampaignPlan>?

    /// Recipients that are read. A page that many people look at asks for fewer than the command.
    static let recipients: Int32 = 1_000
    /// Messages of a claim, as by default (`dispatch.claimSize`).
    private static let batch = 1_000

    /// One after the other: pages have two sessions, and a slow view must leave one to the others.
    static func read(
        _ name: String, _ revision: Int32, from database: Database
    ) async throws(DatabaseError) -> CampaignForecast {
        let store = CampaignStore(database: database)
        let checked = try await Attempt(doing: "check campaign \"\(name)\"") {
            try await store.check(name, revision: revision)
        }
        if checked.value?.contains(where: { $0.level == "error" }) ?? true {
            return CampaignForecast(findings: checked)
        }
        let basis = try await Attempt(doing: "read recipients of campaign \"\(name)\"") {
            try await store.basis(of: name, revision: revision, most: recipients, in: database)
        }
        guard let basis = basis.value else {
            return CampaignForecast(findings: Attempt(value: nil, problem: basis.problem))
        }
        let findings = try await Attempt(doing: "check campaign \"\(name)\"") {
            try await store.findings(of: name, revision: revision, by: basis)
        }
        let plan = try await Attempt(doing: "plan campaign \"\(name)\"") { () -> CampaignPlan? in
            try await store.plan(of: name, revision: revision, by: basis, batch: batch).map {
                CampaignPlan($0, ofTags: !basis.tags.isEmpty)
            }
        }
        return CampaignForecast(
            findings: Attempt(value: findings.value.map { (checked.value ?? []) + $0 }, problem: findings.problem),
            plan: Attempt(
                value: plan.value ?? nil,
                problem: plan.problem
                    ?? (plan.value == .some(nil) ? "Reading its audience takes longer than 5 s." : nil)))
    }
}

/// The plan of a run, hub by hub.
struct CampaignPlan: Sendable, Equatable {
    struct Fact: Sendable, Equatable {
        var title: String
        var value: String
    }

    struct Hub: Sendable, Equatable {
        var name: String
        /// How it localises.
        var nature: String
        var facts: [Fact]
        /// Messages in all, scaled to the whole audience.
        var messages: Int
        /// Whether `messages` are recipients: with tags alone nobody knows how many devices each one means.
        var isCounted: Bool
        /// Devices that its tags mean, as somebody counted them; nil: nobody has.
        var devices: Int64?
    }

    var hubs: [Hub]
    var notes: [String]

    var messages: Int { hubs.reduce(0) { $0 + $1.messages } }

    init(hubs: [Hub], notes: [String] = []) { (self.hubs, self.notes) = (hubs, notes) }

    /// - Parameter tags: whether its audience is tags or an expression.
    init(_ book: PlanBook, ofTags tags: Bool) {
        notes = book.notes
        hubs = book.hubs.map { hub in
            let reach = hub.tally.reach
            return Hub(
                name: hub.settings.name, nature: hub.nature,
                facts: hub.facts(asOf: book.asOf).map { Fact(title: $0.title, value: $0.value) },
                messages: Int((Double(hub.tally.rows) * hub.scale).rounded()),
                isCounted: !tags || !reach.isEmpty,
                devices: reach.isEmpty ? nil : reach.reduce(0) { $0 + Int64($1.devices) })
        }
    }
}
