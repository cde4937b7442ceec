import ArgumentParser
import CommandLineTool
import Foundation
import Providers
import PushModel

/// `fanfare installation`: the devices a hub knows.
struct InstallationCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "installation",
        abstract: "Read, put, change and delete the installations of a hub; move all of them.",
        discussion: """
            Straight against the hub, without the database. The hub queues changes: a read may lag behind. The \
            key in the settings needs the right to manage installations, which a key for sending alone has not.

            Example: fanfare installation get --hub news phone-1
            """,
        subcommands: [
            GetInstallation.self, PutInstallation.self, PatchInstallation.self, DeleteInstallation.self,
            ImportInstallations.self, ExportInstallations.self,
        ])
}

/// `fanfare installation delete`
struct DeleteInstallation: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Make a hub forget installations.",
        discussion: """
            The hub does not report whether there was one: deleting twice is no fault.

            Example: fanfare installation delete --hub news phone-1 phone-2
            """)

    @Argument(help: "The installations' ids.") var ids: [String]
    @OptionGroup var target: InstallationOptions
    @OptionGroup var options: ReportOptions

    func report() async throws -> Report {
        var answers: [(id: String, answer: InstallationAnswer)] = []
        try await target.withHub(options.common) { hub in
            let errand = try InstallationRequests.quick(hub)
            for id in ids {
                let answer = try await InstallationOptions.saying("cannot delete installation \"\(id)\"") {
                    try await errand.run { installations, pass throws(InvalidInstallation) in
                        try installations.request(delete: id, with: pass, tracking: HubClient.tracking())
                    }
                }
                answers.append((id, answer))
                if answer.isAboutTheHub { break }
            }
        }
        return InstallationChanged.report(answers, verb: "delete", hub: target.hub)
    }
}

/// `fanfare installation get`
struct GetInstallation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Show one installation as the hub has it.",
        discussion: """
            Exits 65 when no installation has that id. With --json the document as the hub wrote it.

            Example: fanfare installation get --hub news phone-1 --json
            """)

    @Argument(help: "The installation's id.") var id: String
    @OptionGroup var target: InstallationOptions
    @OptionGroup var options: ReportOptions

    func run() async throws {
        let doing = "cannot read installation \"\(id)\""
        let id = self.id
        let answer = try await target.withHub(options.common) { hub in
            try await InstallationOptions.saying(doing) {
                try await InstallationRequests.quick(hub).run {
                    installations, pass throws(InvalidInstallation) in
                    try installations.request(get: id, with: pass, tracking: HubClient.tracking())
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
            throw Failure(doing, because: "the hub's answer is not a JSON object", status: .internalFault)
        }
        // As the hub wrote it: no document of ours, so no report.
        let document = String(decoding: answer.body, as: UTF8.self)
        try StandardStreams.print(options.json.isOn ? document : Self.text(members))
    }

    /// One fact a line.
    ///
    /// - Parameter shown: how a handle is written.
    static func text(_ members: [String: Any], handle shown: (String) -> String = { $0 }) -> String {
        let templates = (members["templates"] as? [String: Any])?.keys.sorted()
        let channel = members["pushChannel"]
        let lines: [(String, String?)] = [
            ("installation", members["installationId"] as? String), ("platform", members["platform"] as? String),
            ("handle", (channel as? String ?? (channel as? [String: Any])?["endpoint"] as? String).map(shown)),
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
