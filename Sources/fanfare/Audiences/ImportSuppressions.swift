import ArgumentParser
import CommandLineTool
import Foundation
import PushModel
import Store

/// `fanfare suppress import`
struct ImportSuppressions: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Suppress what a file names.",
        discussion: """
            CSV with a header line that names what and value, and if you like reason and until; or JSON lines: {"what": \
            "key", "value": "42", "reason": "unsubscribed", "until": "2027-06-01"}. Lines that cannot be read are named, and \
            then nothing is suppressed. What is suppressed already gets the reason and the end of the file.

            Example: fanfare suppress import unsubscribed.csv
            """)

    @Argument(help: ArgumentHelp("The file; - reads standard input.", valueName: "path")) var file: String
    @OptionGroup var badLines: BadLineOptions
    @OptionGroup var options: ReportOptions

    func report() async throws -> Report {
        let bad = try BadLines(badLines)
        let lines = try SuppressionFile(file, bad, now: Date().timeIntervalSince1970)
        let progress = ProgressLine()
        var total = 0
        let counts = try await options.common.withDatabase { database in
            try await Audiences(database: database).suppressAll {
                try lines.next(5_000)
            } onBatch: { given in
                total = given
                await progress.show("\(HumanFormat.grouped(given)) read")
            }
        }
        await progress.end()
        let (all, same) = (total, Int64(total) - counts.added - counts.changed)
        return Report(
            "\(HumanFormat.count(all, "line")): \(counts.added) suppressed, \(counts.changed) changed, "
                + "\(same) were so already\(bad.leftOut)",
            [
                "lines": .number(all), "added": .number(counts.added), "changed": .number(counts.changed),
                "leftOut": .number(bad.count),
            ])
    }
}
