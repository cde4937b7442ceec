/// What ArgumentParser knows of a command (`--experimental-dump-help`), as far as the manual page shows it.
struct HelpDump: Decodable {
    let command: Command

    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let arguments: [Argument]?
        let subcommands: [Command]?
        let shouldDisplay: Bool?

        /// Commands that do something, as typed without `fanfare`, in the order of the help.
        func leaves(under path: [String] = []) -> [(path: [String], command: Command)] {
            (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }.flatMap { command in
                let path = path + [command.commandName]
                return command.subcommands == nil ? [(path, command)] : command.leaves(under: path)
            }
        }
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        let kind: String
        let names: [Name]?
        let valueName: String?
        let abstract: String?
        let defaultValue: String?
        let allValues: [String]?
        let isOptional: Bool
        let isRepeating: Bool
        let shouldDisplay: Bool
    }
}
