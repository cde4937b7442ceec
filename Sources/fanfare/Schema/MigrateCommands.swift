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
struct MigrateUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Bring the schema up to this fanfare and register the hubs of the settings.",
        discussion: """
            Safe to run again, and by several at once. Messages can only name registered hubs, so run it after changing \
            hubs too, and after changing caps.rememberDays.

            Example: createdb fanfare && fanfare migrate up
            """)

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        let settings = try options.settings(.registration)
        let hubs = settings.hubs.sorted { $0.key < $1.key }
        try await options.withDatabase(of: settings) { database in
            let schema = Schema(database: database)
            let done = try await schema.migrate(appVersion: fanfareVersion)
            for (_, hub) in hubs { _ = try await Hubs(database: database).register(hub.settings) }
            let remembers = try await CampaignStore(database: database).remember(
                caps: Int32(settings.caps.rememberDays))
            let standing = try await schema.standing()
            let version = try await schema.applied().last?.version
            if json.isOn {
                let document: JSONOutput = .object([
                    "hubs": .list(hubs.map { .text($0.key) }), "migrations": .list(done.map { .text($0.file) }),
                    "version": .number(version),
                ])
                return try StandardStreams.print(document.document)
            }
            for migration in done { try StandardStreams.print("migration \(migration.file): done") }
            let nothing = done.isEmpty ? ": nothing to do" : ""
            try StandardStreams.print((standing.notice ?? "schema push is at version \(version ?? 0)") + nothing)
            for (name, _) in hubs { try StandardStreams.print("hub \(name): registered") }
            if remembers {
                try StandardStreams.print(
                    "caps: whom campaigns reached is known for \(settings.caps.rememberDays) days")
            }
            if hubs.isEmpty { try StandardStreams.print("no hub in the settings: nothing can be enqueued yet") }
        }
    }
}

/// `fanfare migrate print`
struct MigratePrint: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Print the SQL of all migrations, or of one, for a DBA to read and run.",
        discussion: """
            Needs neither settings nor a database.

            Example: fanfare migrate print | psql -v ON_ERROR_STOP=1 -1 fanfare
            """)

    @Argument(help: "Version of the one migration to print. Default: all, in order.")
    var version: Int32?

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard let version, !Migration.all.contains(where: { $0.version == version }) else { return }
        throw ValidationError("There is no migration \(version); this fanfare has 1 to \(Migration.all.count).")
    }

    func run() throws {
        let chosen = Migration.all.filter { version == nil || $0.version == version }
        if json.isOn {
            let rows: JSONOutput = .list(
                chosen.map { .object(["version": .number($0.version), "file": .text($0.file), "sql": .text($0.sql)]) })
            return try StandardStreams.print(rows.document)
        }
        try StandardStreams.print(chosen.map(\.sql).joined(separator: "\n"))
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
struct MigrateVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check the schema against this fanfare; exits 78 when something is wrong.",
        discussion: "Example: fanfare migrate verify || fanfare migrate up")

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase(of: try options.settings(.database)) { database in
            let schema = Schema(database: database)
            let problems = try await schema.verify()
            if json.isOn {
                let document: JSONOutput = .object([
                    "ok": .flag(problems.isEmpty), "problems": .list(problems.map { .text($0) }),
                ])
                try StandardStreams.print(document.document)
            } else {
                let good = try await schema.standing().notice ?? "schema push is as it should be"
                try StandardStreams.print(problems.isEmpty ? good : problems.joined(separator: "\n"))
            }
            if !problems.isEmpty { throw ExitCode(ExitStatus.configuration.rawValue) }
        }
    }
}
