import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare migrate up`
struct MigrateUp: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Bring the schema up to this fanfare and register the hubs of the settings.",
        discussion: """
            Runs numbered files of the schema that the database lacks, and all others whose text has changed, with the \
            rights of the roles behind them, in one transaction. Safe to run again, and by several at once. Messages can only name registered hubs, so run it after changing \
            hubs too, and after changing caps.rememberDays.

            Example: createdb fanfare && fanfare migrate up
            """)

    @OptionGroup var options: ReportOptions

    func report() async throws -> Report {
        let settings = try options.common.settings(.registration)
        let hubs = settings.hubs.sorted { $0.key < $1.key }
        return try await options.common.withDatabase(of: settings) { database in
            let schema = Schema(database: database)
            let done = try await schema.migrate(appVersion: fanfareVersion)
            for (_, hub) in hubs { _ = try await Hubs(database: database).register(hub.settings) }
            let days = settings.caps.rememberDays
            let remembers = try await CampaignStore(database: database).remember(caps: Int32(days))
            return Report(
                migrated: done.map(\.path), hubs: hubs.map(\.key),
                release: try await schema.releases().last?.number, notice: try await schema.standing().notice,
                remembersDays: remembers ? days : nil)
        }
    }
}

extension Report {
    /// - Parameters:
    ///   - files: those that were run.
    ///   - notice: what is to be said of the schema; nil: it is as this build needs it.
    ///   - days: for how long it is known from now on whom campaigns reached; nil: as before.
    init(migrated files: [String], hubs: [String], release: Int32?, notice: String?, remembersDays days: Int?) {
        let standing = notice ?? "schema push is of release \(release ?? 0)"
        let lines =
            files.map { "\($0): done" } + [standing + (files.isEmpty ? ": nothing to do" : "")]
            + hubs.map { "hub \($0): registered" }
            + (days.map { ["caps: whom campaigns reached is known for \($0) days"] } ?? [])
            + (hubs.isEmpty ? ["no hub in the settings: nothing can be enqueued yet"] : [])
        self.init(
            lines.joined(separator: "\n"),
            [
                "hubs": .list(hubs.map { .text($0) }), "files": .list(files.map { .text($0) }),
                "release": .number(release),
            ])
    }
}
