import Postgres
import PushModel
import Store

/// What a revision says on one hub, and the templates that devices of the hub are known to have.
struct CampaignTexts: Sendable {
    var hub: HubSettings
    var content: RunContent
    var templates: [PreviewTemplate]

    static func read(
        _ name: String, _ revision: Int32, from database: Database
    ) async throws(DatabaseError) -> Attempt<[CampaignTexts]> {
        try await Attempt(doing: "read what campaign \"\(name)\" says") {
            var all: [CampaignTexts] = []
            for said in try await CampaignStore(database: database).texts(of: name, revision: revision) {
                all.append(
                    CampaignTexts(
                        hub: said.hub, content: said.content,
                        templates: try await KnownTemplates.templates(of: said.hub.name, in: database)))
            }
            return all
        }
    }
}
