import ArgumentParser
import CommandLineTool
import PushModel

/// `fanfare-emulator clock`: what a test does that does not want to wait until tomorrow.
struct ClockCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Show, advance and reset the clock of a running emulator.",
        discussion: "Example: fanfare-emulator clock advance 1d",
        subcommands: [ShowClock.self, AdvanceClock.self, ResetClock.self], defaultSubcommand: ShowClock.self)
}

extension Report {
    /// - Parameter answer: of `/_emulator/clock`.
    fileprivate init(clock answer: EmulatorClient.Answer) throws {
        struct Clock: Decodable { let now, advancedSeconds: Double }
        let clock = try EmulatorClient.decode(answer, as: Clock.self)
        let time = HumanFormat.time(secondsSince1970: clock.now)
        let ahead = clock.advancedSeconds > 0 ? ", \(HumanFormat.duration(clock.advancedSeconds)) ahead" : ""
        self.init(time + ahead, answer.json)
    }
}

/// `fanfare-emulator clock show`
struct ShowClock: EmulatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the emulator's time, and how far it is ahead.",
        discussion: "Example: fanfare-emulator clock")

    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    func validate() throws { try emulator.refuseHub("The clock is the same for all hubs") }

    func answer(_ client: EmulatorClient) async throws -> Report {
        try Report(clock: try await client.ask(.get, "clock"))
    }
}

/// `fanfare-emulator clock advance`
struct AdvanceClock: EmulatorChange {
    static let configuration = CommandConfiguration(
        commandName: "advance", abstract: "Advance the clock, and deliver what is then due.",
        discussion: """
            Returns when everything due has been delivered. Tokens are still checked against the real time.

            Example: fanfare-emulator clock advance 1d
            """)

    @Argument(help: "How far, such as 90s, 10m, 1h30m or 2d.") var time: DurationArgument
    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    func validate() throws { try emulator.refuseHub("The clock is the same for all hubs") }

    func change(_ client: EmulatorClient) async throws -> Report? {
        let body = "{\"advanceSeconds\": \(time.seconds)}"
        return try Report(clock: try await client.ask(.post, "clock", body: Array(body.utf8)))
    }
}

/// `fanfare-emulator clock reset`
struct ResetClock: EmulatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Put the clock back to the real time.",
        discussion: """
            What was sent meanwhile keeps its later time, and what was delivered stays delivered.

            Example: fanfare-emulator clock reset
            """)

    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    func validate() throws { try emulator.refuseHub("The clock is the same for all hubs") }

    func answer(_ client: EmulatorClient) async throws -> Report {
        _ = try await client.ask(.delete, "clock")
        let clock = try await client.ask(.get, "clock")
        return Report("", clock.json)
    }
}
