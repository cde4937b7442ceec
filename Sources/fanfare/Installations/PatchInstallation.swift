import CommandLineTool
import ArgumentParser
import Providers
import PushModel

/// `fanfare installation patch`
struct PatchInstallation: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "patch", abstract: "Change parts of an installation and leave the rest.",
        discussion: """
            With options for tags, or with the operations the service takes: JSON Patch with add, replace and remove, \
            whose values are texts; a template is its JSON text.

            Example: fanfare installation patch --hub news phone-1 --add-tag sports --remove-tag weather
            """)

    @Argument(help: "The installation's id.") var id: String
    @Option(help: ArgumentHelp("A tag to add. Repeatable.", valueName: "tag")) var addTag: [String] = []
    @Option(help: ArgumentHelp("A tag to take away. Repeatable.", valueName: "tag")) var removeTag: [String] = []
    @Option(help: ArgumentHelp("A JSON list of operations, or @FILE.", valueName: "json")) var operations: String?
    @OptionGroup var target: InstallationOptions
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if operations == nil && addTag.isEmpty && removeTag.isEmpty {
            throw ValidationError("Give --add-tag, --remove-tag or --operations.")
        }
        if operations != nil && !(addTag.isEmpty && removeTag.isEmpty) {
            throw ValidationError("--operations brings the whole change: leave out --add-tag and --remove-tag.")
        }
    }

    func report() async throws -> Report {
        let patch = try self.patch()
        let id = self.id
        let answer = try await target.withHub(options.common) { hub in
            try await InstallationOptions.saying("cannot change installation \"\(id)\"") {
                try await InstallationRequests.quick(hub).run {
                    installations, pass throws(InvalidInstallation) in
                    try installations.request(patch: patch, of: id, with: pass, tracking: HubClient.tracking())
                }
            }
        }
        return InstallationChanged.report([(id, answer)], verb: "change", hub: target.hub)
    }

    private func patch() throws(Failure) -> InstallationPatch {
        let text = try operations.map { text throws(Failure) in
            text.hasPrefix("@") ? try InputFile.json(of: String(text.dropFirst())) : text
        }
        do throws(InvalidInstallation) {
            if let text { return try InstallationPatch(checking: text.utf8) }
            // First away, then to it: a tag that is in both is there afterwards.
            return try InstallationPatch(
                checking: removeTag.map(InstallationPatch.Change.removeTag)
                    + addTag.map(InstallationPatch.Change.addTag))
        } catch {
            throw Failure(text == nil ? "wrong tag" : "--operations", because: "\(error)", status: .badInput)
        }
    }
}
