import Pages
import Postgres
import PushModel
import Store

/// `/campaigns/NAME/runs/KEY`: how far a run is, what became of its messages, and what a person can do about it.
struct RunPage: ConsolePage {
    static let place: Place? = .campaigns
    static let rights: [Right] = [.look, .campaigns, .approve]

    let run: RunReference

    /// Who may read the streams of a run (`push.stream`, `push.slice`).
    private static let readers: [Right] = [.campaigns, .operate]
    /// Who may read what a spec asked of a run (`push.run`).
    private static let planners: [Right] = [.campaigns, .approve, .operate]

    init?(path: [String], fields: FormFields) {
        guard path.count == 4, path[0] == Place.campaigns.rawValue, path[2] == "runs" else { return nil }
        run = RunReference(campaign: path[1], key: path[3])
    }

    struct Rows: Sendable {
        /// nil: there is no such run.
        var progress: Part<RunProgress?>
        /// Of a campaign that has no such run; nil: it was not asked.
        var newest: Part<(exists: Bool, key: String?)>?
        /// nil: there is no such run, or it is not known whether there is.
        var parts: RunRows?
    }

    func read(_ reader: PageReader) async -> Rows {
        // PostgreSQL has no text with it.
        guard !run.hasNull else { return Rows(progress: .read(nil)) }
        let (run, right) = (run, reader.person.first(of: Self.rights))
        let progress = await reader.part("run", of: run.subject, as: right) { database throws(DatabaseError) in
            try await CampaignStore(database: database).run(run.campaign, key: run.key)
        }
        switch progress.value {
        case .none: return Rows(progress: progress)
        case .some(.none):
            let newest = await reader.part("campaign", of: run.campaign, as: right) { database throws(DatabaseError) in
                try await CampaignStore(database: database).newestRun(of: run.campaign)
            }
            return Rows(progress: progress, newest: newest)
        case .some(.some): return Rows(progress: progress, parts: await parts(reader))
        }
    }

    /// What changes more slowly is read less often.
    private func parts(_ reader: PageReader) async -> RunRows {
        let (run, person) = (run, reader.person)
        let right = person.first(of: Self.rights)
        async let hubs = reader.part("hubs", of: run.subject, as: right, freshFor: 2) {
            database throws(DatabaseError) in
            try await CampaignStore(database: database).hubs(ofRun: run.key, of: run.campaign)
        }
        async let failures = reader.part("reasons", of: run.subject, as: right, freshFor: 5) {
            database throws(DatabaseError) in
            try await CampaignStore(database: database).failures(ofRun: run.key, of: run.campaign)
        }
        async let bounds = read("canary and window", reader, person.first(of: Self.planners)) {
            database throws(DatabaseError) in
            try await CampaignStore(database: database).bounds(ofRun: run.key, of: run.campaign)
        }
        async let zones = read("time zones", reader, person.first(of: Self.readers)) {
            database throws(DatabaseError) in
            try await CampaignStore(database: database).zones(ofRun: run.key, of: run.campaign)
        }
        async let minutes = read("minutes", reader, person.first(of: Self.readers)) { database throws(DatabaseError) in
            try await CampaignStore(database: database).minutes(ofRun: run.key, of: run.campaign)
        }
        return RunRows(
            hubs: await hubs, failures: await failures, bounds: await bounds, zones: await zones, minutes: await minutes
        )
    }

    /// - Returns: nil: the person may not read it.
    private func read<Value: Sendable>(
        _ part: String, _ reader: PageReader, _ right: Right?,
        _ read: @escaping @Sendable (Database) async throws(DatabaseError) -> Value
    ) async -> Part<Value>? {
        guard let right else { return nil }
        return await reader.part(part, of: run.subject, as: right, freshFor: 5, read)
    }

    func content(of rows: Rows, for visit: Visit) -> PageContent {
        let name = "Run \(run.key.onOneLine) of campaign \(run.campaign.onOneLine)"
        if let trouble = rows.progress.trouble {
            return PageContent(
                title: name, template: "notice", view: NoticeView("How far this run is, is not known.", for: visit),
                troubles: [trouble])
        }
        guard case .some(.some(let progress)) = rows.progress.value, let parts = rows.parts else {
            return PageContent(
                status: 404, title: "No such run", template: "no-run",
                view: NoRunView(run, rows.newest?.value, for: visit),
                troubles: [rows.newest?.trouble].compactMap(\.self))
        }
        let isOpen = !progress.state.isOver || progress.pending + progress.underWay > 0
        return PageContent(
            title: name, template: "run", view: RunView(run, progress, parts, for: visit), liveSeconds: isOpen ? 2 : 5,
            troubles: parts.troubles, elsewhere: RunElsewhere.all(of: run, for: visit.person))
    }
}

/// What the page of one run reads besides how far it is.
struct RunRows: Sendable {
    var hubs: Part<[RunHub]>
    var failures: Part<[RunFailure]>
    /// nil: the person may not read it; so with the next ones.
    var bounds: Part<RunBounds?>?
    var zones: Part<[RunZone]>?
    var minutes: Part<[RunMinute]>?

    var troubles: [Trouble] {
        [hubs.trouble, failures.trouble, bounds?.trouble, zones?.trouble, minutes?.trouble].compactMap(\.self)
    }
}
