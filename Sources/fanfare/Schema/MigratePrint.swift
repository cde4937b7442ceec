import ArgumentParser
import Store

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

    @OptionGroup var options: CommandOptions
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
