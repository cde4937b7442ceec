import ArgumentParser
import CommandLineTool
import Store

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
