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
            Runs numbered files of the schema that the database lacks, and all others whose text has changed, with the \
            rights of the roles behind them, in one transaction. Safe to run again, and by several at once. Messages can only name registered hubs, so run it after changing \
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
            let release = try await schema.releases().last?.number
            if json.isOn {
                let document: JSONOutput = .object([
                    "hubs": .list(hubs.map { .text($0.key) }), "files": .list(done.map { .text($0.path) }),
                    "release": .number(release),
                ])
                return try StandardStreams.print(document.document)
            }
            for file in done { try StandardStreams.print("\(file.path): done") }
            let nothing = done.isEmpty ? ": nothing to do" : ""
            try StandardStreams.print((standing.notice ?? "schema push is of release \(release ?? 0)") + nothing)
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
        commandName: "print", abstract: "Print the SQL of the schema, or of one file of it, for a DBA to read and run.",
        discussion: """
            Whole, it is a script for psql, which makes the schema or brings it up to this fanfare, in one transaction. \
            Needs neither settings nor a database.

            Example: fanfare migrate print | psql -v ON_ERROR_STOP=1 fanfare
            """)

    @Argument(help: "The one file to print, such as functions/protocol/claim.sql. Default: all, in order.")
    var file: String?

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard let file, !SchemaFile.all.contains(where: { $0.path == file }) else { return }
        throw ValidationError("There is no file \(file) in the schema; fanfare migrate status lists them.")
    }

    func run() throws {
        let chosen = SchemaFile.all.filter { file == nil || $0.path == file }
        if json.isOn {
            let rows: JSONOutput = .list(chosen.map { .object(["path": .text($0.path), "sql": .text($0.sql)]) })
            return try StandardStreams.print(rows.document)
        }
        try StandardStreams.print(file == nil ? SchemaFile.script : chosen.map(\.sql).joined())
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
