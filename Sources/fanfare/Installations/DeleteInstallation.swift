import ArgumentParser
import Providers

/// `fanfare installation delete`
struct DeleteInstallation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Make a hub forget installations.",
        discussion: """
            The hub does not tell whether there was one: deleting twice is no fault.

            Example: fanfare installation delete --hub news phone-1 phone-2
            """)

    @Argument(help: "The installations' ids.")
    var ids: [String]

    @OptionGroup var target: InstallationOptions
    @OptionGroup var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        var answers: [(id: String, answer: InstallationAnswer)] = []
        try await target.withHub(options) { hub, loop in
            let errand = InstallationRequests.quick(hub, on: loop)
            for id in ids {
                let answer = try await InstallationOptions.saying("cannot delete installation \"\(id)\"") {
                    try await errand.run { installations, token throws(InvalidInstallation) in
                        try installations.request(delete: id, signedBy: token, tracking: HubClient.tracking())
                    }
                }
                answers.append((id, answer))
                if answer.isAboutTheHub { break }
            }
        }
        try InstallationChanged.show(answers, verb: "delete", hub: target.hub, asJSON: json.isOn)
    }
}
