import ArgumentParser
import CommandLineTool
import Configuration

/// `fanfare-emulator clock`: what a test does that does not want to wait until tomorrow.
struct ClockCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Show, advance and reset the clock of a running emulator.",
        discussion: "Example: fanfare-emulator clock advance 1d",
        subcommands: [ShowClock.self, AdvanceClock.self, ResetClock.self], defaultSubcommand: ShowClock.self)
}

/// The answer of `/_emulator/clock`.
private struct ClockAnswer: Decodable {
    /// Seconds since 1970.
    let now: Double
    let advancedSeconds: Double

    var line: String {
        let time = HumanFormat.time(secondsSince1970: now)
        return advancedSeconds > 0 ? "\(time), \(HumanFormat.duration(advancedSeconds)) ahead" : time
    }
}

/// `fanfare-emulator clock show`
struct ShowClock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the emulator's time, and how far it is ahead.",
        discussion: "Example: fanfare-emulator clock")

    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func validate() throws { try emulator.refuseHub("The clock is the same for all hubs") }

    func run() async throws {
        let answer = try await EmulatorClient.open(emulator, options) { client in try await client.ask(.get, "clock") }
        if json.isOn { return try StandardStreams.print(answer.text) }
        try StandardStreams.print(try EmulatorClient.decode(answer, as: ClockAnswer.self).line)
    }
}

/// `fanfare-emulator clock advance`
struct AdvanceClock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance", abstract: "Advance the clock, and deliver what is then due.",
        discussion: """
            Returns when everything due has been delivered. Tokens are still checked against the real time.

            Example: fanfare-emulator clock advance 1d
            """)

    @Argument(help: "How far, such as 90s, 10m, 1h30m or 2d.") var time: DurationArgument
    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func validate() throws { try emulator.refuseHub("The clock is the same for all hubs") }

    func run() async throws {
        try await EmulatorClient.change(emulator, options) { client in
            let body = "{\"advanceSeconds\": \(time.seconds)}"
            let answer = try await client.ask(.post, "clock", body: Array(body.utf8))
            try StandardStreams.print(try EmulatorClient.decode(answer, as: ClockAnswer.self).line)
        }
    }
}

/// `fanfare-emulator clock reset`
struct ResetClock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Put the clock back to the real time.",
        discussion: """
            What was sent meanwhile keeps its later time, and what was delivered stays delivered.

            Example: fanfare-emulator clock reset
            """)

    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func validate() throws { try emulator.refuseHub("The clock is the same for all hubs") }

    func run() async throws {
        try await EmulatorClient.open(emulator, options) { client in _ = try await client.ask(.delete, "clock") }
    }
}
