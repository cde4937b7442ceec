import ArgumentParser

/// `fanfare template`
struct TemplateCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template", abstract: "Try device templates.",
        discussion: "Example: fanfare template render --template apns.json --properties hello.json",
        subcommands: [RenderTemplate.self])
}
