import Postgres
import Store

/// What there is to choose from while somebody writes a campaign.
struct WriteChoices: Sendable {
    /// Names of hubs; nil: the person may not see them, and types them.
    var hubs: Part<[String]>?
    var lists: Part<[String]>
    var views: Part<[Audiences.View]>

    /// Changes seldom, so it is read at most every ten seconds.
    static func read(_ reader: PageReader) async -> WriteChoices {
        async let hubs =
            reader.person.may(.look)
            ? reader.part("names of hubs", freshFor: 10) { database throws(DatabaseError) in
                try await HubHealth.names(from: database)
            } : nil
        async let lists = reader.part("lists", as: .campaigns, freshFor: 10) { database throws(DatabaseError) in
            try await Audiences(database: database).listNames()
        }
        async let views = reader.part("views of audiences", as: .campaigns, freshFor: 10) {
            database throws(DatabaseError) in try await Audiences(database: database).views()
        }
        return WriteChoices(hubs: await hubs, lists: await lists, views: await views)
    }

    var troubles: [Trouble] { [hubs?.trouble, lists.trouble, views.trouble].compactMap(\.self) }
}
