import ArgumentParser
import CommandLineTool
import Store

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
