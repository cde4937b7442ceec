import Postgres
import PushModel
import Store

/// An owner of campaigns with hostile views: keeps starting runs over them while others' runs are sent.
actor HostileOwner {
    private let database: Database
    private let campaigns: CampaignStore
    private var random: SeededRandom
    private var number = 0
    private(set) var actions: [String: Int] = [:]
    /// Errors that no injected fault explains.
    private(set) var faults: Set<String> = []

    init(database: Database, seed: UInt64) {
        self.database = database
        campaigns = CampaignStore(database: database)
        random = SeededRandom(seed: seed)
    }

    /// What its campaigns are called: this, a number, and what the view does.
    static let prefix = "hostile-"

    func prepare() async throws(DatabaseError) {
        try await database.script(HostileView.script(owner: "marketer"))
    }

    /// Works until it is cancelled: each view once, in a random order, then again.
    func work() async {
        while !Task.isCancelled {
            for view in HostileView.all.shuffled(using: &random) where !Task.isCancelled {
                await start(view)
                // Ends early only by cancellation, which ends the loop.
                try? await Task.sleep(for: .milliseconds(Int.random(in: 50...600, using: &random)))
            }
        }
    }

    private func start(_ view: HostileView) async {
        number += 1
        let name = "\(Self.prefix)\(number)-\(view.name)"
        do {
            _ = try await campaigns.create(
                name,
                spec: """
                    {"hubs": ["local"], "audience": {"view": "m.\(view.name)"}, "content": {"": {"title": "x"}}}
                    """, draft: false)
            _ = try await campaigns.start(name, key: SteeredRun.key)
            actions["hostile view: started", default: 0] += 1
        } catch {
            actions["hostile view: unanswered", default: 0] += 1
            if !error.isTransient, !Task.isCancelled { faults.insert("hostile view \(view.name): \(error)") }
        }
    }

    /// Runs over its views that have neither ended nor been paused with words; waits for that for at most two minutes.
    ///
    /// - Returns: one line each.
    func open() async throws -> [String] {
        let began = ContinuousClock.now
        while true {
            // A database that is not back yet is asked again.
            let open = try? await database.query(
                """
                SELECT p.campaign || ' is ' || p.state || coalesce(': ' || p.why, ' and does not say why')
                  FROM push.run_progress p
                 WHERE starts_with(p.campaign, \(Self.prefix)) AND p.ended_at IS NULL
                   AND (p.state <> 'paused' OR p.why IS NULL)
                 ORDER BY 1
                """
            ) { rows in try rows.map { row in try row.string() } }
            let isLate = began.duration(to: .now) > .seconds(120)
            if let open, open.isEmpty || isLate { return open }
            if isLate { return ["unknown: the database does not answer"] }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Cancels what is paused.
    func settle() async throws {
        let paused = try await database.query(
            """
            SELECT p.campaign FROM push.run_progress p
             WHERE starts_with(p.campaign, \(Self.prefix)) AND p.ended_at IS NULL
            """
        ) { rows in try rows.map { row in try row.string() } }
        for name in paused {
            _ = try await campaigns.steer(name, key: SteeredRun.key, .cancel, after: nil, batch: 10_000)
        }
    }

    /// Whom code of its views ran as, and left a trace: one line each.
    func ranAs() async throws(DatabaseError) -> [String] {
        try await database.query("SELECT DISTINCT who FROM m.log ORDER BY 1") { rows in
            try rows.map { row in try row.string() }
        }
    }
}
