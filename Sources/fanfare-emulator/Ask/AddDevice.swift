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

            Example: fanfare-emulator device add bob --hub shop --topic Tech --language fr
            """)

    @Argument(help: "Its id.") var id: String
    @Option(help: "Its platform. Default: apns; at a sender of FCM fcmV1, which is Android.")
    var platform: Installation.Platform?
    @Option(
        name: [.customLong("handle"), .customLong("token")],
        help: ArgumentHelp(
            "Its handle. Default: made from the id; its token at a sender of FCM, by default the id.",
            valueName: "handle"))
    var handle: String?
    @Option(help: ArgumentHelp("Its user.", valueName: "user")) var user: String?

    @Option(name: .customLong("tag"), help: ArgumentHelp("A tag it has. Repeatable.", valueName: "tag"))
    var tags: [String] = []

    @Option(
        name: .customLong("topic"),
        help: ArgumentHelp("At a sender of FCM, a topic it is subscribed to. Repeatable.", valueName: "topic"))
    var topics: [String] = []

    @Option(help: ArgumentHelp("The language it is set to; it becomes the tag lang:CODE.", valueName: "code"))
    var language: String?

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
        let isGiven = !(tags + topics + shown).isEmpty || !templates.isEmpty || language != nil
        if file != nil, handle != nil || user != nil || isGiven {
            throw ValidationError("--file has everything in it: leave the other options out.")
        }
    }

    func change(_ client: EmulatorClient) async throws -> Report? {
        let given = try file.map { try InputFile.bytes(of: $0) }
        let status = try await client.read("status", as: EmulatorStatus.self)
        let body = try given ?? Array(try CompactJSON.line(installation(at: status)).utf8)
        _ = try await client.ask(.put, "devices/\(EmulatorClient.encoded(id))" + emulator.query(), body: body)
        return nil
    }

    /// - Parameter status: says which of its hubs are senders.
    private func installation(at status: EmulatorStatus) -> Installation {
        let hub = emulator.hub ?? (status.hubs.count == 1 ? status.hubs[0] : "")
        let isForSender = status.service(of: hub) == .fcm
        var installation = Installation(
            id, platform: platform ?? (isForSender ? .fcmV1 : .apns), handle: handle ?? (isForSender ? id : nil),
            user: user,
            tags: tags + (language.map { ["lang:\($0)"] } ?? []), showing: shown,
            templates: Dictionary(templates.map { ($0.key, $0.value) }) { $1 })
        if isForSender { installation.pushChannel = .handle(handle ?? id) }
        if !topics.isEmpty { installation.topics = topics }
        return installation
    }
}
