import PushModel
import ArgumentParser
import CommandLineTool
import Configuration
import Foundation
import HubEmulator

/// `fanfare-emulator journal`
struct ShowJournal: AsyncParsableCommand {
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
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit is 1 to 10000.") }
        if check != nil, checkTracking { throw ValidationError("Give --check or --check-tracking, not both.") }
    }

    func run() async throws {
        if check != nil || checkTracking { return try await checkOnce() }
        let answer = try await EmulatorClient.open(emulator, options) { client in
            try await client.ask(.get, "journal" + emulator.query([("since", "\(since)"), ("limit", "\(limit)")]))
        }
        let page = try EmulatorClient.decode(answer, as: JournalPage.self)
        if json.isOn { return try StandardStreams.print(answer.text) }
        guard !page.entries.isEmpty else { return }
        try StandardStreams.print(page.entries.map { SendLine($0).text }.joined(separator: "\n"))
        if let next = page.next { StandardStreams.printError("more: --since \(next)") }
    }

    private func checkOnce() async throws {
        let query = emulator.query([("by", check == nil ? "tracking" : "property"), ("name", check)])
        let answer = try await EmulatorClient.open(emulator, options) { client in
            try await client.ask(.get, "journal/check" + query)
        }
        let result = try EmulatorClient.decode(answer, as: DuplicateCheck.Result.self)
        if json.isOn {
            try StandardStreams.print(answer.text)
        } else {
            try StandardStreams.print(
                "\(HumanFormat.count(result.taken, "send")) taken, \(HumanFormat.count(result.values, "value")), "
                    + "\(result.repeatedValues) more than once, \(result.without) without")
            for one in result.repeated.prefix(20) {
                let numbers = one.numbers.prefix(10).map(String.init).joined(separator: ", ")
                try StandardStreams.print("\(one.value.onOneLine.clipped(to: 60))  \(one.count) times: \(numbers)")
            }
        }
        if !result.isExactlyOnce { throw ExitCode(ExitStatus.someFailed.rawValue) }
    }
}
