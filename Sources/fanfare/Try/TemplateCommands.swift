import ArgumentParser
import CommandLineTool
import PushModel

/// `fanfare template`
struct TemplateCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template", abstract: "Try device templates.",
        discussion: "Example: fanfare template render --template apns.json --properties hello.json",
        subcommands: [RenderTemplate.self])
}

/// `fanfare template render`
struct RenderTemplate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Print what a device with this template gets for these properties.",
        discussion: """
            One of the two files may be -, for standard input.

            Example: echo '{"message": "Hello"}' | fanfare template render --template apns.json --properties -
            """)

    @Option(
        help: ArgumentHelp("The device's template: JSON, or XML for Windows.", valueName: "file"), completion: .file())
    var template: String

    @Option(help: ArgumentHelp("The content: one flat JSON object of strings.", valueName: "file"), completion: .file())
    var properties: String

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func validate() throws {
        if template == "-" && properties == "-" { throw ValidationError("Only one of the two can be standard input.") }
    }

    func run() throws {
        let template = try readTemplate()
        let properties = try readProperties()
        let shown = template.render(Dictionary(properties.pairs.map { ($0.name, $0.value) }) { $1 })
        try StandardStreams.printData(shown)
    }

    private func readTemplate() throws(Failure) -> Template {
        let text = try InputFile.text(of: template)
        return try Failure.wrapping(InputFile.name(template)) {
            try text.first { !$0.isWhitespace } == "<" ? Template(xml: text) : Template(json: text)
        }
    }

    private func readProperties() throws(Failure) -> StringObject {
        let text = try InputFile.json(of: properties)
        return try Failure.wrapping(InputFile.name(properties)) { try StringObject(text) }
    }
}
