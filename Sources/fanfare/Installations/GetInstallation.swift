import ArgumentParser
import Foundation
import Providers

/// `fanfare installation get`
struct GetInstallation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Show one installation as the hub has it.",
        discussion: """
            Exits 65 when there is none with that id. With --json the document as the hub wrote it.

            Example: fanfare installation get --hub news phone-1 --json
            """)

    @Argument(help: "The installation's id.")
    var id: String

    @OptionGroup var target: InstallationOptions
    @OptionGroup var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        let doing = "cannot read installation \"\(id)\""
        let id = self.id
        let answer = try await target.withHub(options) { hub, loop in
            try await InstallationOptions.saying(doing) {
                try await InstallationRequests.quick(hub, on: loop).run {
                    installations, token throws(InvalidInstallation) in
                    try installations.request(get: id, signedBy: token, tracking: HubClient.tracking())
                }
            }
        }
        if answer.isMissing {
            throw Failure(
                doing, because: "hub \"\(target.hub)\" has no such installation",
                hint: "What was put a moment ago may not be readable yet.", status: .badInput)
        }
        guard answer.verdict == .accepted else { throw answer.failure(doing, hub: target.hub) }
        guard let members = (try? JSONSerialization.jsonObject(with: Data(answer.body))) as? [String: Any] else {
            throw Failure(doing, because: "the hub's answer is no JSON object", status: .internalFault)
        }
        let document = String(decoding: answer.body, as: UTF8.self)
        try StandardStreams.print(json.isOn ? document : Self.text(members))
    }

    private static func text(_ members: [String: Any]) -> String {
        let templates = (members["templates"] as? [String: Any])?.keys.sorted()
        let channel = members["pushChannel"]
        let lines: [(String, String?)] = [
            ("installation", members["installationId"] as? String), ("platform", members["platform"] as? String),
            ("handle", channel as? String ?? (channel as? [String: Any])?["endpoint"] as? String),
            ("user", members["userId"] as? String),
            ("tags", (members["tags"] as? [String])?.joined(separator: ", ")),
            ("templates", templates?.joined(separator: ", ")), ("expires", members["expirationTime"] as? String),
            (
                "expired",
                (members["pushChannelExpired"] as? Bool).map { $0 ? "yes: the platform refused the handle" : "no" }
            ),
        ]
        return lines.compactMap { name, value in value.map { "\(name.padded(to: 14))\($0.onOneLine)" } }
            .joined(separator: "\n")
    }
}
