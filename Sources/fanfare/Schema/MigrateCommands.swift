import ArgumentParser
import CommandLineTool
import Daemon
import PushModel
import Store

/// `fanfare migrate`: the schema push of one database.
struct MigrateCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Make, look at and check the schema push.",
        discussion: "Example: fanfare migrate up",
        subcommands: [MigrateUp.self, MigrateStatus.self, MigratePrint.self, MigrateVerify.self, MigrateReference.self])
}

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

/// `fanfare migrate print`
struct MigratePrint: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Print the SQL of the schema, or of one file of it, for a DBA to read and run.",
        discussion: """
            Whole, it is a script for psql, which makes the schema or brings it up to this fanfare, in one transaction. \
            Needs neither settings nor a database.

            Example: fanfare migrate print | psql -v ON_ERROR_STOP=1 fanfare
            """)

    @Argument(help: "The one file to print, such as functions/protocol/claim.sql. Default: all, in order.")
    var file: String?

    @OptionGroup var options: ReportOptions

    func validate() throws {
        guard let file, !SchemaFile.all.contains(where: { $0.path == file }) else { return }
        throw ValidationError("There is no file \(file) in the schema; fanfare migrate status lists them.")
    }

    func report() throws -> Report {
        let chosen = SchemaFile.all.filter { file == nil || $0.path == file }
        return Report(
            file == nil ? SchemaFile.script : chosen.map(\.sql).joined(),
            .list(chosen.map { .object(["path": .text($0.path), "sql": .text($0.sql)]) }))
    }
}

/// `fanfare migrate reference`
struct MigrateReference: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference",
        abstract: "Print the reference of the schema push, as Markdown, from the comments in the database.",
        discussion: """
            The same schema gives the same text, so docs/schema.md can be compared with it.

            Example: fanfare migrate reference > docs/schema.md
            """)

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func run() async throws {
        try await options.withDatabase { database in
            try StandardStreams.print(try await SchemaReference.read(from: database).markdown)
        }
    }
}

/// `fanfare migrate verify`
struct MigrateVerify: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check the schema against this fanfare; exits 78 when something is wrong.",
        discussion: "Example: fanfare migrate verify || fanfare migrate up")

    @OptionGroup var options: ReportOptions

    func report() async throws -> Report {
        try await options.common.withDatabase(of: try options.common.settings(.database)) { database in
            let schema = Schema(database: database)
            let problems = try await schema.verify()
            let good = try await schema.standing().notice ?? "schema push is as it should be"
            return Report(
                problems.isEmpty ? good : problems.joined(separator: "\n"),
                ["ok": .flag(problems.isEmpty), "problems": .list(problems.map { .text($0) })],
                status: problems.isEmpty ? .ok : .configuration)
        }
    }
}
