import CommandLineTool
import ArgumentParser
import Providers

/// `fanfare installation put`
struct PutInstallation: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Register a device, or replace what was registered under its id.",
        discussion: """
            From a file with the installation as JSON, or from options. Nothing of what was there stays.

            Example: fanfare installation put --hub news --id phone-1 --platform apns --handle 00FC13AD --tag World \
            --template news=@apns.json
            """)

    @Option(
        help: ArgumentHelp("The installation as JSON; - is standard input.", valueName: "file"), completion: .file())
    var file: String?

    @Option(help: "The installation's id.") var id: String?

    @Option(
        help: ArgumentHelp(
            "Whose device it is: \(InstallationDocument.platforms.joined(separator: ", ")).", valueName: "name"))
    var platform: String?

    @Option(help: "The device's handle; of a browser an object with endpoint, p256dh and auth.") var handle: String?
    @Option(help: ArgumentHelp("The user the device belongs to.", valueName: "id")) var user: String?

    @Option(name: .customLong("tag"), help: ArgumentHelp("A tag of the device. Repeatable.", valueName: "tag"))
    var tags: [String] = []

    @Option(
        name: .customLong("template"),
        help: ArgumentHelp("A template by name, with its body or @FILE. Repeatable.", valueName: "name=body"))
    var templates: [KeyValue] = []

    @Option(help: ArgumentHelp("When the hub forgets the device, ISO 8601. Default: never.", valueName: "time"))
    var expires: String?

    @OptionGroup var target: InstallationOptions
    @OptionGroup var options: ReportOptions

    func validate() throws {
        let isGiven =
            id != nil || platform != nil || handle != nil || user != nil || !tags.isEmpty || !templates.isEmpty
            || expires != nil
        if file != nil {
            if isGiven { throw ValidationError("--file brings the whole installation: leave out the other options.") }
        } else if id == nil || platform == nil || handle == nil {
            throw ValidationError("Give --id, --platform and --handle, or the whole installation with --file.")
        }
    }

    func report() async throws -> Report {
        let document = try self.document()
        let answer = try await target.withHub(options.common) { hub in
            try await InstallationRequests.quick(hub).run {
                installations, pass throws(InvalidInstallation) in
                try installations.request(put: document, with: pass, tracking: HubClient.tracking())
            }
        }
        return InstallationChanged.report([(document.id, answer)], verb: "put", hub: target.hub)
    }

    private func document() throws(Failure) -> InstallationDocument {
        let name = file.map(InputFile.name) ?? "wrong installation"
        let text = if let file { try InputFile.json(of: file) } else { try written() }
        return try Failure.wrapping(name) { try InstallationDocument(json: text.utf8) }
    }

    /// The options as JSON.
    private func written() throws(Failure) -> String {
        var members: [String] = []
        func add(_ name: String, _ value: JSONOutput?) {
            if let value { members.append("\(JSONOutput.text(name).document):\(value.document)") }
        }
        add("installationId", id.map(JSONOutput.text))
        add("platform", platform.map(JSONOutput.text))
        if let handle {
            let isObject = platform?.lowercased() == "browser" && handle.hasPrefix("{")
            members.append("\"pushChannel\":" + (isObject ? handle : JSONOutput.text(handle).document))
        }
        add("userId", user.map(JSONOutput.text))
        add("expirationTime", expires.map(JSONOutput.text))
        if !tags.isEmpty { add("tags", .list(tags.map(JSONOutput.text))) }
        if !templates.isEmpty {
            var bodies: [String: JSONOutput] = [:]
            for template in templates {
                let isFile = template.value.hasPrefix("@")
                let body = isFile ? try InputFile.text(of: String(template.value.dropFirst())) : template.value
                bodies[template.key] = .object(["body": .text(body)])
            }
            add("templates", .object(bodies))
        }
        return "{\(members.joined(separator: ","))}"
    }
}
