import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare suppress export`
struct ExportSuppressions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print all that is suppressed, for fanfare suppress import.",
        discussion: """
            CSV, or JSON lines with --json. Device handles stand there whole: keep the file as you keep them.

            Example: fanfare suppress export > suppressed.csv
            """)

    @OptionGroup var options: ReportOptions

    func run() async throws {
        try await options.common.withDatabase { database in
            let audiences = Audiences(database: database)
            let progress = ProgressLine()
            if !options.json.isOn { try StandardStreams.print(SuppressionFile.columns.joined(separator: ",")) }
            var last: Audiences.Suppression?
            var total = 0
            while true {
                let page = try await audiences.suppressions(behind: last, limit: 5_000)
                guard let end = page.last else { break }
                try StandardStreams.printData(
                    page.map(options.json.isOn ? Self.json : Self.csv).joined(separator: "\n"))
                last = end
                total += page.count
                await progress.show("\(HumanFormat.grouped(total)) written")
            }
            await progress.end()
        }
    }

    /// Pure.
    static func json(_ one: Audiences.Suppression) -> String {
        JSONOutput.object([
            "what": .text(one.what), "value": .text(one.value), "reason": .text(one.reason), "until": .text(one.until),
        ]).line
    }

    /// Pure.
    static func csv(_ one: Audiences.Suppression) -> String {
        CSV.line([one.what, one.value, one.reason ?? "", one.until ?? ""])
    }
}
