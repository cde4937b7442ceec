import CommandLineTool
import ArgumentParser
import Store

/// `fanfare hub set-rate`
struct SetRate: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-rate", abstract: "Limit the posts per second to a hub, over all workers.",
        discussion: """
            Holds until it is set back with "default" (what ratePerSecond says in the settings), also over restarts.

            Example: fanfare hub set-rate news 200
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub) var hub: String
    @Argument(help: "Posts per second, 0 for no limit, or \"default\" for what the settings say.") var rate: Rate
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await Hubs(database: database).setRate(hub, rate.perSecond)
        let words = rate.perSecond.map { $0 == 0 ? "no limit" : "at most \($0.formatted()) posts per second" }
        return Report(
            "hub \(hub): \(words ?? "as the settings say")", ["hub": .text(hub), "rate": .decimal(rate.perSecond)])
    }

    /// A number from 0 to 100,000, or `default`.
    struct Rate: ExpressibleByArgument {
        /// nil: as the settings say.
        let perSecond: Double?

        init?(argument: String) {
            if argument == "default" {
                perSecond = nil
            } else if let number = Double(argument), (0...100_000).contains(number) {
                perSecond = number
            } else {
                return nil
            }
        }

        var defaultValueDescription: String { perSecond.map { "\($0)" } ?? "default" }
    }
}
