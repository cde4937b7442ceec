import ArgumentParser
import CommandLineTool
import Foundation
import HubEmulator

/// `fanfare-emulator device add`
struct AddDevice: EmulatorChange {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a device, or replace the one of that id.",
        discussion: """
            As its app would with PUT /HUB/installations/ID, without a key. Give a template to be reached by template \
            sends: --shows for one that shows properties, --template for one of your own, or --file for a whole \
            installation as JSON.

            Example: fanfare-emulator device add alice --tag World --shows title_English --shows News_English
            """)

    @Argument(help: "Its id.") var id: String
    @Option(help: "Its platform.") var platform = Installation.Platform.apns
    @Option(help: ArgumentHelp("Its handle. Default: made from the id.", valueName: "handle")) var handle: String?
    @Option(help: ArgumentHelp("Its user.", valueName: "user")) var user: String?

    @Option(name: .customLong("tag"), help: ArgumentHelp("A tag it has. Repeatable.", valueName: "tag"))
    var tags: [String] = []

    @Option(
        name: .customLong("shows"),
        help: ArgumentHelp("Show this property; of two the first is the title.", valueName: "property"))
    var shown: [String] = []

    @Option(
        name: .customLong("template"),
        help: ArgumentHelp("A template and its body. Repeatable.", valueName: "name=body"))
    var templates: [KeyValue] = []

    @Option(
        help: ArgumentHelp("The installation as JSON; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var file: String?

    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if shown.count > 2 { throw ValidationError("--shows goes once or twice.") }
        if file != nil, handle != nil || user != nil || !tags.isEmpty || !shown.isEmpty || !templates.isEmpty {
            throw ValidationError("--file has everything in it: leave the other options out.")
        }
    }

    func change(_ client: EmulatorClient) async throws -> Report? {
        let body = try file.map { try InputFile.bytes(of: $0) } ?? Array(try CompactJSON.line(installation).utf8)
        _ = try await client.ask(.put, "devices/\(EmulatorClient.encoded(id))" + emulator.query(), body: body)
        return nil
    }

    private var installation: Installation {
        Installation(
            id, platform: platform, handle: handle, user: user, tags: tags, showing: shown,
            templates: Dictionary(templates.map { ($0.key, $0.value) }) { $1 })
    }
}

extension Installation.Platform: ExpressibleByArgument {}
