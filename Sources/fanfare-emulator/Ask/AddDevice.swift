import ArgumentParser
import CommandLineTool
import Configuration
import Foundation
import HubEmulator

/// `fanfare-emulator device add`
struct AddDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a device, or replace the one of that id.",
        discussion: """
            As its app would with PUT /HUB/installations/ID, without a key. Give a template to be reached by template \
            sends: --shows for one that shows properties, --template for one of your own, or --file for a whole \
            installation as JSON.

            Example: fanfare-emulator device add alice --tag World --shows title_English --shows News_English
            """)

    @Argument(help: "Its id.")
    var id: String

    @Option(help: "Its platform.")
    var platform = Installation.Platform.apns

    @Option(help: ArgumentHelp("Its handle. Default: made from the id.", valueName: "handle"))
    var handle: String?

    @Option(help: ArgumentHelp("Its user.", valueName: "user"))
    var user: String?

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
    @OptionGroup var options: CommandOptions

    func validate() throws {
        if shown.count > 2 { throw ValidationError("--shows goes once or twice.") }
        if file != nil, handle != nil || user != nil || !tags.isEmpty || !shown.isEmpty || !templates.isEmpty {
            throw ValidationError("--file has everything in it: leave the other options out.")
        }
    }

    func run() async throws {
        let body = try file.map { try InputFile.bytes(of: $0) } ?? Array(try CompactJSON.line(installation).utf8)
        try await EmulatorClient.open(emulator, options) { client in
            _ = try await client.ask(
                .put, "devices/\(EmulatorClient.encoded(id))" + emulator.query(), body: body)
        }
    }

    private var installation: Installation {
        var bodies = Dictionary(templates.map { ($0.key, $0.value) }) { $1 }
        if !shown.isEmpty { bodies["shows"] = EmulateTemplate.body(showing: shown, on: platform) }
        let hex = id.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let text = handle ?? (platform == .apns ? hex : platform == .wns ? "https://wns.example/\(hex)" : id)
        let channel: PushChannel =
            platform == .browser ? .browser(endpoint: text, p256dh: "key", auth: "auth") : .handle(text)
        return Installation(id, platform: platform, pushChannel: channel, user: user, tags: tags, templates: bodies)
    }
}

/// A template as most apps register one.
enum EmulateTemplate {
    /// - Parameter properties: one, the text; or two, title and text.
    static func body(showing properties: [String], on platform: Installation.Platform) -> String {
        let parts = properties.map { JSONOutput.text("$(\($0))") }
        let text: JSONOutput =
            parts.count > 1 ? .object(["title": parts[0], "body": parts[1]]) : .object(["body": parts[0]])
        let whole: JSONOutput =
            switch platform {
            case .apns: .object(["aps": .object(["alert": parts.count > 1 ? text : parts[0]])])
            case .fcmV1: .object(["message": .object(["notification": text])])
            case .gcm: .object(["notification": text])
            case .adm: .object(["data": text])
            case .wns, .mpns, .baidu, .browser, .xiaomi: text
            }
        return whole.line
    }
}

extension Installation.Platform: ExpressibleByArgument {}
