import CommandLineTool
import ArgumentParser
import Store

/// `fanfare hub rate`
struct SetHubRate: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate", abstract: "Limit the posts per second to a hub, over all workers.",
        discussion: """
            Holds until it is set back with "default" (what ratePerSecond says in the settings), also over restarts.

            Example: fanfare hub rate news 200
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub) var hub: String
    @Argument(help: "Posts a second, none for no limit, or default for what the settings say.") var rate: RateArgument
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let limit = rate.isDefault ? nil : rate.perSecond ?? 0  // 0 in push.set_rate: no limit
        try await Hubs(database: database).setRate(hub, limit)
        let words = rate.perSecond.map { "at most \($0.formatted()) posts per second" } ?? "no limit"
        return Report(
            "hub \(hub): \(rate.isDefault ? "as the settings say" : words)",
            ["hub": .text(hub), "rate": .decimal(limit)])
    }
}
