import Postgres
import PushModel

extension CampaignStore {
    /// What a revision says, on each of its hubs with the settings that are registered. For the roles `push_campaign` and
    /// `push_approve`.
    ///
    /// - Parameter revision: nil: the newest.
    public func texts(
        of name: String, revision: Int32? = nil
    ) async throws -> [(hub: HubSettings, content: RunContent)] {
        try await database.withConnection { connection in
            try await Self.texts(of: name, revision, over: connection)
        }
    }

    /// The first recipients on each hub, without anything of theirs.
    ///
    /// - Parameters:
    ///   - revision: nil: the newest.
    ///   - most: recipients that are read, 1 to 10,000.
    /// - Returns: by hub; nil: reading them took longer.
    public func sample(
        of name: String, revision: Int32? = nil, most: Int32 = 1000, seconds: Int32 = 5
    ) async throws -> [String: [StandIn]]? {
        try await within(seconds) { connection in try await Self.standIns(of: name, revision, most, over: connection) }
    }
}
