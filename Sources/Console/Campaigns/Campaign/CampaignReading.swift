import Postgres
import Store

/// Reads the parts of the page of one campaign, and what questions about it need.
struct CampaignReading: Sendable {
    let reader: PageReader
    let name: String
    /// Whether somebody is about to act on it: then nothing is shared but the forecast.
    var isForQuestion = false

    /// The part that may take longer than a page waits.
    static let forecast = "check and plan"
    /// Seconds for which a forecast is shared: it reads an audience.
    private static let slow = 30.0

    /// - Parameter asked: the revision to show; nil: the newest.
    func rows(asked: Int32?) async -> CampaignRows {
        let name = name
        let looking = reader.person.first(of: CampaignPage.rights)
        let campaign = await reader.part("campaign", of: name, as: looking) { database throws(DatabaseError) in
            try await CampaignStore(database: database).campaign(name)
        }
        // What somebody typed goes no further unless it is a campaign.
        guard let known = campaign.value ?? nil else { return CampaignRows(campaign: campaign) }
        async let runs = reader.part("runs", of: name, as: looking, freshFor: 2) { database throws(DatabaseError) in
            try await CampaignStore(database: database).newestRuns(of: name, limit: CampaignRows.mostRuns)
        }
        async let schedule = reader.part("schedule", of: name, as: looking, freshFor: 2) {
            database throws(DatabaseError) in try await CampaignStore(database: database).scheduleInForce(of: name)
        }
        var rows = CampaignRows(campaign: campaign)
        if reader.person.first(of: CampaignPage.readers) != nil {
            let revision = asked ?? known.revision
            async let revisions = revisions(with: asked)
            async let changes = changes(of: revision)
            async let forecast = forecast(of: revision)
            async let texts = texts(of: revision)
            rows.revisions = await revisions
            rows.changes = await changes
            rows.forecast = await forecast
            rows.texts = await texts
            if rows.revisions?.value?.contains(where: { $0.revision == revision }) == false {
                // The page says that there is no such revision; each of its parts would say it again.
                (rows.changes, rows.forecast, rows.texts) = (nil, nil, nil)
            }
        }
        rows.runs = await runs
        rows.schedule = await schedule
        return rows
    }

    /// - Parameter asked: is among them, however old it is.
    func revisions(with asked: Int32?) async -> Part<[CampaignStore.Approval]> {
        let name = name
        return await part("revisions", of: "\(name) \(asked ?? 0)", freshFor: 1) { store, _ throws(DatabaseError) in
            try await store.approvals(of: name, with: asked)
        }
    }

    func changes(of revision: Int32) async -> Part<[CampaignStore.Change]> {
        let name = name
        return await part("changes", of: "\(name) \(revision)", freshFor: 2) { store, _ throws(DatabaseError) in
            try await store.changes(name, revision: revision)
        }
    }

    /// Unread while it is still being worked out: the next look has it.
    func forecast(of revision: Int32) async -> Part<CampaignForecast> {
        let name = name
        return await part(Self.forecast, of: "\(name) \(revision)", freshFor: Self.slow) {
            _, database throws(DatabaseError) in try await CampaignForecast.read(name, revision, from: database)
        }
    }

    /// The run of a key, with a test or a start that was skipped; nil: none has it.
    func run(of key: String) async -> Part<RunProgress?> {
        let name = name
        let run = RunReference(campaign: name, key: key)
        return await part("run", of: run.subject, freshFor: 0) { store, _ throws(DatabaseError) in
            try await store.progress(name, key: key).first
        }
    }

    func schedule() async -> Part<CampaignStore.ScheduleInForce?> {
        let name = name
        return await part("schedule", of: name, freshFor: 1) { store, _ throws(DatabaseError) in
            try await store.scheduleInForce(of: name)
        }
    }

    private func texts(of revision: Int32) async -> Part<Attempt<[CampaignTexts]>> {
        let name = name
        return await part("phones", of: "\(name) \(revision)", freshFor: 5) { _, database throws(DatabaseError) in
            try await CampaignTexts.read(name, revision, from: database)
        }
    }

    /// With the role of those who may read what campaigns say.
    private func part<Value: Sendable>(
        _ part: String, of subject: String, freshFor seconds: Double,
        _ read: @escaping @Sendable (CampaignStore, Database) async throws(DatabaseError) -> Value
    ) async -> Part<Value> {
        // Operators may read them, too, where they are about to act.
        let right = reader.person.first(of: CampaignPage.readers + [.operate])
        let seconds = isForQuestion && part != Self.forecast ? 0 : seconds
        return await reader.part(part, of: subject, as: right, freshFor: seconds) { database throws(DatabaseError) in
            try await read(CampaignStore(database: database), database)
        }
    }
}
