import ArgumentParser
import CommandLineTool
import Configuration
import Foundation
import Providers
import Store

/// `fanfare device show`
struct ShowDevice: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what backends asked for a device, and what the hub has now.",
        discussion: """
            What each call said is shown to a login that may read push.installation_change. The hub is asked if the \
            settings have it and a key with the right Listen. Handles are shown by their ends, unless --handle is given. \
            Exits 65 when neither a change nor an installation is found. Needs a login with push_monitor or push_register.

            Example: fanfare device show phone-17 --hub news
            """)

    @Argument(help: "The device: the id of its installation.") var device: String

    @Option(help: "At this hub. Default: every hub at which a backend has changed it.", completion: .hub)
    var hub: String?

    @Option(help: "Changes at most for each hub, the newest, 1 to 1000.") var limit: Int32 = 10
    @Flag(help: "Show whole handles.") var handle = false
    @OptionGroup var options: ReportOptions

    func validate() throws { try require("--limit", limit, in: 1...1000) }

    func answer(_ database: Database) async throws -> Report {
        let search = DeviceSearch(database: database)
        let changes = try await search.changes(of: device, at: hub, limit: limit)
        let documents = try await search.documents(of: changes.map(\.id))
        let hubs = HubLookup(options.common)
        var reports: [DeviceReport] = []
        for name in names(changes, hubs) {
            reports.append(
                DeviceReport(
                    device: device, hub: name, changes: changes.filter { $0.hub == name }, documents: documents,
                    atHub: await hubs.ask(name, for: device), isWhole: handle))
        }
        guard reports.contains(where: \.isKnown) else {
            throw Failure(
                "cannot show device \"\(device)\"", because: Self.nothing(reports, hub),
                hint: "fanfare device list --since 30d", status: .badInput)
        }
        let (found, limit) = (reports, limit)
        return Report(
            fitting: { width in found.map { $0.text(fitting: width, limit: limit) }.joined(separator: "\n\n") },
            .object(["device": .text(device), "hubs": .list(found.map(\.json))]))
    }

    /// The hubs to look at: the one asked for, those with changes, or else all of the settings.
    private func names(_ changes: [DeviceSearch.Change], _ hubs: HubLookup) -> [String] {
        if let hub { return [hub] }
        let changed = Set(changes.map(\.hub)).sorted()
        return changed.isEmpty ? hubs.names : changed
    }

    private static func nothing(_ reports: [DeviceReport], _ hub: String?) -> String {
        let asked = "no backend has changed it" + (hub.map { " at hub \"\($0)\"" } ?? "")
        return reports.isEmpty ? asked : asked + "; " + reports.map(\.atHubInWords).joined(separator: "; ")
    }
}

/// Asks hubs of the settings for a device.
struct HubLookup {
    /// What a hub said.
    enum Found {
        /// The installation as the hub wrote it.
        case installation([UInt8])
        case missing
        /// It was not asked, or gave no answer: why.
        case unknown(String)
    }

    private let settings: Result<Settings, SettingsError>

    init(_ options: CommandOptions) {
        do throws(SettingsError) {
            settings = .success(try options.loadSettings())
        } catch {
            settings = .failure(error)
        }
    }

    var names: [String] { (try? settings.get())?.hubs.keys.sorted() ?? [] }

    func ask(_ name: String, for device: String) async -> Found {
        switch settings {
        case .failure(let error): return .unknown("the settings are wrong: \(error.problems[0])")
        case .success(let settings) where settings.hubs[name] == nil:
            return .unknown("hub \"\(name)\" is not in the settings")
        case .success(let settings):
            do {
                let hub = try HubClient(name, of: settings)
                return try await hub.withConnection { hub in
                    let answer = try await InstallationRequests.quick(hub).run {
                        installations, pass throws(InvalidInstallation) in
                        try installations.request(get: device, with: pass, tracking: HubClient.tracking())
                    }
                    return Self.found(answer, hub: name)
                }
            } catch let failure as Failure {
                return .unknown(failure.complaints.map(\.why).joined(separator: "; "))
            } catch {
                return .unknown("\(error)")
            }
        }
    }

    private static func found(_ answer: InstallationAnswer, hub: String) -> Found {
        if answer.isMissing { return .missing }
        if answer.verdict == .accepted { return .installation(answer.body) }
        let ending = answer.ending(hub: hub)
        return .unknown([ending.because ?? ending.word, ending.hint].compactMap(\.self).joined(separator: ". "))
    }
}
