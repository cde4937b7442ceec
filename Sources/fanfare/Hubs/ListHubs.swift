import ArgumentParser
import Store

/// `fanfare hub list`
struct ListHubs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the registered hubs, and whether each takes posts now.",
        discussion: "Example: fanfare hub list --json")

    @OptionGroup var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase { database in
            let hubs = try await SystemStatus.read(from: database).hubs
            if json.isOn { return try StandardStreams.print(JSONOutput.list(hubs.map(\.json)).document) }
            var table = TextTable([.text("HUB"), .text("STATE"), .number("DUE"), .number("LATER"), .text("WHY")])
            for hub in hubs { table.add([hub.hub, hub.state, "\(hub.due)", "\(hub.later)", hub.why]) }
            try StandardStreams.print(table.isEmpty ? "no hub is registered: fanfare migrate up" : table.text)
        }
    }
}
