import ArgumentParser
import CommandLineTool
import Foundation
import PushModel
import Store

/// `fanfare template learn`
struct LearnTemplates: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "learn", abstract: "Keep the templates that phones have, for previews.",
        discussion: """
            Workers find by themselves what backends register with push.put_device. What apps register at the hub is learned from \
            a file: installations as JSON lines, as fanfare installation export prints them; or, with --platform and --name, \
            the body of one template. Only templates are kept, and on how many devices each is: nothing of a device. A \
            line that cannot be read is named, and then nothing is learned. Needs a login with push_campaign or push_operator.

            Example: fanfare installation export --hub news | fanfare template learn --hub news -
            """)

    @Argument(
        help: ArgumentHelp("Installations as JSON lines, or one body; - is standard input.", valueName: "file"),
        completion: .file())
    var file: String

    @Option(help: "The hub's name in the settings.", completion: .hub) var hub: String

    @Option(
        help: ArgumentHelp(
            "Whose template the file is: \(PlatformTemplate.platforms.joined(separator: ", ")).", valueName: "name"))
    var platform: String?

    @Option(help: "The name of the template in the file.") var name: String?
    @OptionGroup var badLines: BadLineOptions
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if (platform == nil) != (name == nil) { throw ValidationError("Give both --platform and --name, or neither.") }
        if platform != nil, badLines.report != nil || badLines.leaveOutBad {
            throw ValidationError("One template has no lines: leave out --report and --leave-out-bad.")
        }
    }

    func answer(_ database: Database) async throws -> Report {
        let templates = DeviceTemplates(database: database)
        if let platform, let name {
            let text = try InputFile.text(of: file)
            let template = try Failure.wrapping(InputFile.name(file)) { () throws(InvalidTemplate) in
                try PlatformTemplate(checking: text, platform: platform, name: name)
            }
            let isNew = try await templates.learn(template, at: hub)
            return Report(
                "hub \(hub): template \(name) of \(template.platform) \(isNew ? "learned" : "was known")".onOneLine,
                Self.json(hub, templates: 1, devices: 0, leftOut: 0))
        }
        let bad = try BadLines(badLines)
        let census = try await read(bad)
        try await templates.learn(census, at: hub)
        let (count, devices) = (census.found().count, census.devices)
        return Report(
            "hub \(hub): \(HumanFormat.count(count, "template")) on \(HumanFormat.grouped(devices)) installations\(bad.leftOut)",
            Self.json(hub, templates: count, devices: devices, leftOut: bad.count))
    }

    private static func json(_ hub: String, templates: Int, devices: Int64, leftOut: Int) -> JSONOutput {
        .object([
            "hub": .text(hub), "templates": .number(templates), "devices": .number(devices),
            "left_out": .number(leftOut),
        ])
    }

    /// One line in memory at a time.
    private func read(_ bad: BadLines) async throws -> TemplateCensus {
        let lines = try InputLines(file)
        let progress = ProgressLine()
        let now = Date().timeIntervalSince1970
        var census = TemplateCensus()
        while let line = lines.next() {
            do throws(InvalidTemplate) {
                census.add(try PlatformTemplate.templates(ofInstallation: line.bytes), at: now)
            } catch {
                try bad.add(LineFault("\(error)"), of: file, line: line.number, key: nil, hint: Self.example)
            }
            if line.number.isMultiple(of: 4_096) { await progress.show("\(HumanFormat.grouped(line.number)) read") }
        }
        await progress.end()
        if let failure = lines.failure { throw failure }
        try bad.finish(file)
        guard census.devices > 0 else {
            throw Failure(
                InputFile.name(file), because: "it has no installation", hint: Self.example, status: .badInput)
        }
        return census
    }

    private static let example =
        #"A line is an installation, such as {"platform": "apns", "templates": {"news": {"body": "..."}}}."#
}
