import PushModel
import ArgumentParser
import CommandLineTool
import Foundation
import HubEmulator

/// `fanfare-emulator journal`
struct ShowJournal: EmulatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Print what a running emulator was sent, or whether anything came twice.",
        discussion: """
            One line for every send, oldest first. With --check it says instead whether a property of the sends that were \
            taken never came twice, or with --check-tracking whether the sender's TrackingId did not: exits 0, or 1 \
            if one did or had none.

            Example: fanfare-emulator journal --check id
            """)

    @Option(help: ArgumentHelp("After this journal number.", valueName: "number")) var since = 0
    @Option(help: ArgumentHelp("How many, 1 to 10000.", valueName: "number")) var limit = 1_000
    @Option(help: ArgumentHelp("Is this property of every send its own?", valueName: "property")) var check: String?
    @Flag(help: "Is the TrackingId of every send its own?") var checkTracking = false
    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    func validate() throws {
        try require("--limit", limit, in: 1...10_000)
        if check != nil, checkTracking { throw ValidationError("Give --check or --check-tracking, not both.") }
    }

    func answer(_ client: EmulatorClient) async throws -> Report {
        if check != nil || checkTracking { return try await checkOnce(client) }
        let answer = try await client.ask(
            .get, "journal" + emulator.query([("since", "\(since)"), ("limit", "\(limit)")]))
        let page = try EmulatorClient.decode(answer, as: JournalPage.self)
        var report = Report(page.entries.map { SendLine($0).text }.joined(separator: "\n"), answer.json)
        report.remarks.text = page.next.map { "more: --since \($0)" }
        return report
    }

    private func checkOnce(_ client: EmulatorClient) async throws -> Report {
        let query = emulator.query([("by", check == nil ? "tracking" : "property"), ("name", check)])
        let answer = try await client.ask(.get, "journal/check" + query)
        let result = try EmulatorClient.decode(answer, as: DuplicateCheck.Result.self)
        let found =
            "\(HumanFormat.count(result.taken, "send")) taken, \(HumanFormat.count(result.values, "value")), "
            + "\(result.repeatedValues) more than once, \(result.without) without"
        let repeated = result.repeated.prefix(20).map { one in
            let numbers = one.numbers.prefix(10).map(String.init).joined(separator: ", ")
            return "\(one.value.onOneLine.clipped(to: 60))  \(one.count) times: \(numbers)"
        }
        return Report(
            ([found] + repeated).joined(separator: "\n"), answer.json,
            status: result.isExactlyOnce ? .ok : .someFailed)
    }
}
