import ArgumentParser
import CommandLineTool
import Postgres
import PushModel
import Store

/// `fanfare campaign audience`
struct RecipientLists: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audience", abstract: "Keep audiences that come from files.",
        discussion: "Example: fanfare campaign audience load beta --file people.csv",
        subcommands: [LoadList.self, ShowLists.self, DropList.self])
}

/// `fanfare campaign audience load`
struct LoadList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Make a list of recipients from a file, or give it new ones.",
        discussion: """
            CSV with a header line that names key, tag or handle, and if you like locale and time_zone; other columns \
            are the recipient's own properties. Fields are separated by commas or semicolons. Or JSON lines: {"key": \
            "1", "tag": "user:1", "properties": {"name": "Ada"}}. Lines that cannot be a recipient, or have the key or \
            handle of another, are named, and then nothing is loaded.

            A list that is there already takes --replace or --merge. A run that is under way goes on with the \
            recipients it began with.

            Example: fanfare campaign audience load beta --file people.csv --replace
            """)

    @Argument(help: "Name of the list: a-z, 0-9, _ and -, at most 63.")
    var list: String

    @Option(help: ArgumentHelp("The file; - reads standard input.", valueName: "path"))
    var file: String

    @Flag(help: "The list has the recipients of the file from now on, whether there was one or not.")
    var replace = false

    @Flag(help: "The list has those of the file, and of the recipients it had those with another key.")
    var merge = false

    @OptionGroup var badLines: BadLineOptions
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        if replace && merge { throw ValidationError("Give either --replace or --merge.") }
    }

    func run() async throws {
        let bad = try BadLines(badLines)
        let members = try RecipientFile(file, bad)
        let way: Audiences.Loading = replace ? .replace : merge ? .merge : .new
        try await options.withDatabase { database in
            let loaded = try await Audiences(database: database).load(list, way) { try members.next(5_000) }
            let document: JSONOutput = .object([
                "list": .text(list), "members": .number(loaded), "leftOut": .number(bad.count),
            ])
            let words = "list \(list) has \(HumanFormat.count(loaded, "recipient"))\(bad.leftOut)"
            try StandardStreams.print(json.isOn ? document.document : words)
        }
    }
}

/// `fanfare campaign audience show`
struct ShowLists: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the lists and how long they are.",
        discussion: "Example: fanfare campaign audience show")

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase { database in
            let lists = try await Audiences(database: database).lists()
            if json.isOn {
                let rows = lists.map {
                    JSONOutput.object([
                        "list": .text($0.name), "members": .number($0.members), "at": .text($0.at), "by": .text($0.by),
                    ])
                }
                return try StandardStreams.print(JSONOutput.list(rows).document)
            }
            var table = TextTable([.id("LIST"), .number("RECIPIENTS"), .text("AT"), .text("BY")])
            for each in lists { table.add([each.name, "\(each.members)", each.at, each.by]) }
            try StandardStreams.print(lists.isEmpty ? "no lists" : table.onScreen)
        }
    }
}

/// `fanfare campaign audience drop`
struct DropList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Delete a list. A run that still reads it pauses.",
        discussion: "Example: fanfare campaign audience drop beta")

    @Argument(help: "Name of the list.")
    var list: String

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase { database in
            let members = try await Audiences(database: database).drop(list)
            try json.report(
                "list \(list) is gone, with \(HumanFormat.count(members, "recipient"))",
                ["list": .text(list), "recipients": .number(members)])
        }
    }
}
