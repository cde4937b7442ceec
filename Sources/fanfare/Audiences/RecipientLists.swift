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
struct LoadList: ReportingCommand {
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

    @Argument(help: "Name of the list: a-z, 0-9, _ and -, at most 63.") var list: String
    @Option(help: ArgumentHelp("The file; - reads standard input.", valueName: "path")) var file: String

    @Flag(help: "The list has the recipients of the file from now on, whether there was one or not.")
    var replace = false

    @Flag(help: "The list has those of the file, and of the recipients it had those with another key.")
    var merge = false

    @OptionGroup var badLines: BadLineOptions
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if replace && merge { throw ValidationError("Give either --replace or --merge.") }
    }

    func report() async throws -> Report {
        let bad = try BadLines(badLines)
        let members = try RecipientFile(file, bad)
        let way: Audiences.Loading = replace ? .replace : merge ? .merge : .new
        let loaded = try await options.common.withDatabase { database in
            try await Audiences(database: database).load(list, way) { try members.next(5_000) }
        }
        return Report(
            "list \(list) has \(HumanFormat.count(loaded, "recipient"))\(bad.leftOut)",
            ["list": .text(list), "members": .number(loaded), "leftOut": .number(bad.count)])
    }
}

/// `fanfare campaign audience show`
struct ShowLists: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the lists and how long they are.",
        discussion: "Example: fanfare campaign audience show")

    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        Report(lists: try await Audiences(database: database).lists())
    }
}

extension Report {
    init(lists: [(name: String, members: Int64, at: String, by: String)]) {
        self.init(lists, [.id("LIST"), .number("RECIPIENTS"), .text("AT"), .text("BY")], none: "no lists") {
            [$0.name, "\($0.members)", $0.at, $0.by]
        } json: {
            .object(["list": .text($0.name), "members": .number($0.members), "at": .text($0.at), "by": .text($0.by)])
        }
    }
}

/// `fanfare campaign audience drop`
struct DropList: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Delete a list. A run that still reads it pauses.",
        discussion: "Example: fanfare campaign audience drop beta")

    @Argument(help: "Name of the list.") var list: String
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let members = try await Audiences(database: database).drop(list)
        return Report(
            "list \(list) is gone, with \(HumanFormat.count(members, "recipient"))",
            ["list": .text(list), "recipients": .number(members)])
    }
}
