import Postgres
import PushModel
import Store

extension CampaignStore {
    /// All that is known of a run before it begins.
    ///
    /// - Parameter revision: nil: the newest.
    package func findings(of name: String, revision: Int32? = nil, in database: Database) async throws -> [Finding] {
        let checked = try await check(name, revision: revision)
        if checked.contains(where: { $0.level == "error" }) { return checked }
        let basis = try await basis(of: name, revision: revision, in: database)
        return checked + (try await findings(of: name, revision: revision, by: basis))
    }

    /// What is known beside the check in SQL: of the calendar, of the requests that the first recipients become, and of what phones
    /// get.
    package func findings(of name: String, revision: Int32?, by basis: RunBasis) async throws -> [Finding] {
        let forecasts =
            basis.hasRecipients
            ? basis.sample.flatMap { $0.forecast.findings(ofFirst: Int64(basis.most)) }
            : [
                Finding(
                    "warning", "audience", "its first recipients were not planned: reading them took longer than 5 s",
                    hint: "Every slice of a run reads as many.")
            ]
        let scheduled = try await scheduled(name)
        let isNewest = revision == nil || revision == scheduled?.revision
        return forecasts + (isNewest ? scheduled?.findings() ?? [] : [])
            + basis.sample.flatMap { Self.planAndLint($0, of: name, revision: revision, by: basis) }
    }

    private static func planAndLint(
        _ one: Sample, of name: String, revision: Int32?, by basis: RunBasis
    ) -> [Finding] {
        // How many devices have the tags, the database has said.
        let templates = basis.devices[one.hub.name]?.templates ?? []
        return PlanCheck(one, of: name, revision: revision, templates: templates).findings
            + TextCheck(
                one.content, at: one.hub, sample: one.standIns, templates: templates, tags: basis.tags
            ).findings
    }
}
