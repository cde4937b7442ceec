import ArgumentParser
import CommandLineTool
import PushModel

/// `fanfare template`
struct TemplateCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template",
        abstract: "Try device templates, find what is wrong with them, and look at those that phones have.",
        discussion: "Example: fanfare template render --template apns.json --properties hello.json",
        subcommands: [
            RenderTemplate.self, LintTemplates.self, LearnTemplates.self, ListTemplates.self, ShowTemplate.self,
            ForgetTemplates.self,
        ])
}

/// `fanfare template render`
struct RenderTemplate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Print what a device with this template gets for these properties.",
        discussion: """
            One of the two files may be -, for standard input. With --preview it draws the phone that would show it, and says \
            what is missing, unused, cut off or too large.

            Example: echo '{"message": "Hello"}' | fanfare template render --template apns.json --properties -
            """)

    @Option(
        help: ArgumentHelp("The device's template: JSON, or XML for Windows.", valueName: "file"), completion: .file())
    var template: String

    @Option(help: ArgumentHelp("The content: one flat JSON object of strings.", valueName: "file"), completion: .file())
    var properties: String

    @Flag(help: "Draw the phone instead of printing what it gets.") var preview = false

    @Option(
        help: ArgumentHelp(
            "Of the device, such as apns, for --preview. Default: the one whose payloads look like it.",
            valueName: "platform"))
    var platform: DevicePlatform?

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func validate() throws {
        if platform != nil && !preview { throw ValidationError("--platform needs --preview.") }
        if template == "-" && properties == "-" { throw ValidationError("Only one of the two can be standard input.") }
    }

    func run() throws {
        if preview { return try draw() }
        let template = try readTemplate()
        let properties = try readProperties()
        let shown = template.render(Dictionary(properties.pairs.map { ($0.name, $0.value) }) { $1 })
        try StandardStreams.printData(shown)
    }

    private func draw() throws {
        let file = InputFile.name(template)
        let bytes = try InputFile.bytes(of: template)
        let properties = try readProperties()
        let found = try Failure.wrapping(file) { () throws(TemplateFile.Fault) in
            try TemplateFile.templates(bytes, name: "template", platform: platform)
        }
        let style = TerminalStyle.ofOutput(within: 40...200, usual: 80)
        var cards: [PhoneCard] = []
        for template in found {
            let preview = try Failure.wrapping(file) { () throws(TemplateError) in
                try Preview(template, showing: properties)
            }
            cards.append(PhoneCard(preview))
        }
        try StandardStreams.printStyled(PhoneCard.rows(cards, style).joined(separator: "\n"))
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
