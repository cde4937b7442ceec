import Pages
import Postgres
import PushModel
import Store

/// `/hubs/NAME`: whether a hub takes posts, why not, what ends that, and how it has answered.
struct HubPage: ConsolePage {
    static let place: Place? = .overview
    static let rights: [Right] = [.look]

    let name: String

    init?(path: [String], fields: FormFields) {
        guard path.count == 2, path[0] == "hubs" else { return nil }
        name = path[1]
    }

    struct Rows: Sendable {
        /// Of all registered hubs.
        var names: Part<[String]>
        /// nil: there is no such hub, or it is not known whether there is.
        var hub: HubRows?
    }

    /// The state is read again for each look, what changes more slowly less often.
    func read(_ reader: PageReader) async -> Rows {
        let names = await reader.part("names of hubs", freshFor: 2) { database throws(DatabaseError) in
            try await HubHealth.names(from: database)
        }
        // What somebody typed goes no further unless it is a hub.
        guard names.value?.contains(name) == true else { return Rows(names: names) }
        let name = name
        async let health = reader.part("state", of: name) { database throws(DatabaseError) in
            try await HubHealth.read(name, from: database)
        }
        async let workers = reader.part("workers", of: name, freshFor: 2) { database throws(DatabaseError) in
            try await HubWorker.all(of: name, from: database)
        }
        async let results = reader.part("results of the last hour", of: name, freshFor: 5) {
            database throws(DatabaseError) in try await MinuteResults.lastHour(of: name, from: database)
        }
        async let devices = reader.part("devices", of: name, freshFor: 5) { database throws(DatabaseError) in
            try await HubDevices.read(name, from: database)
        }
        async let settings = reader.part("registered settings", of: name, freshFor: 10) {
            database throws(DatabaseError) in try await RegisteredSetting.all(of: name, from: database)
        }
        return Rows(
            names: names,
            hub: HubRows(
                health: await health, workers: await workers, results: await results, devices: await devices,
                settings: await settings))
    }

    func content(of rows: Rows, for visit: Visit) -> PageContent {
        if let trouble = rows.names.trouble {
            return PageContent(
                title: "Hub \(name.onOneLine)", template: "notice",
                view: NoticeView("The state of this hub is not known.", for: visit), troubles: [trouble])
        }
        // A hub that was removed between two statements is no hub any more.
        guard let hub = rows.hub, case let health = hub.health.value, health != .some(.none) else {
            return PageContent(
                status: 404, title: "No such hub", template: "no-hub",
                view: NoHubView(name, among: rows.names.value ?? [], for: visit))
        }
        return PageContent(
            title: "Hub \(name)", template: "hub", view: HubView(name, hub, for: visit), troubles: hub.troubles,
            elsewhere: HubElsewhere.all(of: name))
    }
}

/// What the page of one hub reads.
struct HubRows: Sendable {
    /// nil: it is not registered any more.
    var health: Part<HubHealth?>
    var workers: Part<[HubWorker]>
    var results: Part<[MinuteResults]>
    var devices: Part<HubDevices>
    var settings: Part<[RegisteredSetting]>

    var troubles: [Trouble] {
        [health.trouble, workers.trouble, results.trouble, devices.trouble, settings.trouble].compactMap(\.self)
    }
}
