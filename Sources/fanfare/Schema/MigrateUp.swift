import ArgumentParser
import Daemon
import Store

/// `fanfare migrate up`
struct MigrateUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Bring the schema up to this fanfare and register the hubs of the settings.",
        discussion: """
            Safe to run again, and by several at once. Messages can only name registered hubs, so run it after changing \
            hubs too.

            Example: createdb fanfare && fanfare migrate up
            """)

    @OptionGroup var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        let settings = try options.settings()
        let hubs = settings.hubs.sorted { $0.key < $1.key }
        try await options.withDatabase(of: settings) { database in
            let schema = Schema(database: database)
            let done = try await schema.migrate(appVersion: Daemon.version)
            for (_, hub) in hubs { _ = try await Hubs(database: database).register(hub.settings) }
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
            try StandardStreams.print("schema push is at version \(version ?? 0)\(nothing)")
            for (name, _) in hubs { try StandardStreams.print("hub \(name): registered") }
            if hubs.isEmpty { try StandardStreams.print("no hub in the settings: nothing can be enqueued yet") }
        }
    }
}
