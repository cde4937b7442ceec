import ArgumentParser
import Daemon

/// `fanfare config schema`
struct PrintConfigSchema: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema (2020-12) of config.json, for editors and checks.",
        discussion: """
            With "$schema": "./config.schema.json" in config.json an editor completes its keys. What the schema cannot say, \
            `fanfare config check` does. Reads no settings.

            Example: fanfare config schema > config.schema.json
            """)

    @OptionGroup var options: CommandOptions

    func run() throws {
        try StandardStreams.print(ConfigSchema(Settings.reference()).document.document)
    }
}
