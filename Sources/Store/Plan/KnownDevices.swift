import Postgres
import PushModel

/// What is known of the devices of a hub: which templates they have, and how many have which tags.
package struct KnownDevices: Sendable {
    package var templates: [PreviewTemplate] = []
    package var reach: [KnownReach] = []

    package init() {}

    /// For a login of push_campaign, push_approve or push_monitor.
    package init(at hub: String, in database: Database) async throws {
        templates = try await KnownTemplates.templates(of: hub, in: database)
        reach = try await Reach(database: database).known(at: hub)
    }

    /// For a login of push_worker, as they were when its transaction began.
    package init(of lane: PlanLane, by reader: PlanReader) async throws {
        guard lane.settings.kind.facts.keepsDevices else { return }
        templates = try await reader.templates(of: lane.hub).compactMap { PreviewTemplate($0) }
        reach = try await reader.reach(of: lane.hub)
    }
}
