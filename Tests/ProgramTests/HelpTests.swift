import ProgramSupport
import Foundation
import Testing

@Suite struct HelpTests {
    /// What `--experimental-dump-help` says of one command.
    struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable { var name: String }
            var abstract: String?
            var kind: String
            var isRepeating: Bool
            var names: [Name]?
            var valueName: String?
            var shouldDisplay: Bool
        }
        var commandName: String
        var abstract: String?
        var discussion: String?
        var arguments: [Argument]?
        var subcommands: [Command]?
        var superCommands: [String]?

        /// As typed, without the program.
        var path: [String] { (superCommands ?? []).dropFirst() + (superCommands == nil ? [] : [commandName]) }
        var everything: [Command] { [self] + (subcommands ?? []).flatMap(\.everything) }
    }

    static let programs = ["fanfare", "fanfare-emulator", "fanfare-lab", "fanfare-chaos"]

    /// Every command but ArgumentParser's own `help`.
    func commands(of program: String) async throws -> [Command] {
        struct Dump: Decodable { var command: Command }
        let output = try await BuiltProgram(program, settings: nil)("--experimental-dump-help").output
        return try JSONDecoder().decode(Dump.self, from: Data(output.utf8)).command.everything
            .filter { $0.commandName != "help" }
    }

    @Test(arguments: [
        ("fanfare", "help nosuch", "help: fanfare has no command nosuch\nhint: the commands are run, drain"),
        ("fanfare", "help mesages", "help: fanfare has no command mesages\nhint: did you mean message?"),
        ("fanfare", "help message lst", "help: fanfare message has no command lst\nhint: did you mean list?"),
        ("fanfare", "help drain now", "help: fanfare drain has no command now\nhint: it has no commands"),
        (
            "fanfare-emulator", "help devices",
            "help: fanfare-emulator has no command devices\nhint: did you mean device?"
        ),
    ]) func noHelpIsGivenForWhatDoesNotExist(program: String, words: String, says: String) async throws {
        let ended = try await BuiltProgram(program, settings: nil).run(words.split(separator: " ").map(String.init))
        #expect(ended.status == 64)
        #expect(ended.errors.hasPrefix("\(program): \(says)"), "\(ended.errors)")
        #expect(ended.output.isEmpty)
    }

    @Test(arguments: [
        ("fanfare", "nosuch", "wrong command line: fanfare has no command nosuch\nhint: the commands are run, drain"),
        (
            "fanfare", "message lst",
            "wrong command line: fanfare message has no command lst\nhint: did you mean list?"
        ),
        (
            "fanfare", "emulate fault set --help",
            "wrong command line: fanfare-emulator fault has no command set\nhint: the commands are add, list, clear"
        ),
        (
            "fanfare", "enqueue --proprety message=hi",
            "enqueue: there is no option --proprety\nhint: did you mean --property?"
        ),
        (
            "fanfare", "hub gate news",
            "wrong command line: fanfare hub has no command gate\nhint: did you mean open-gate?"
        ),
        (
            "fanfare", "message list --key x",
            "message list: there is no option --key\nhint: did you mean --dedupe-key?"
        ),
        ("fanfare", "status --nope", "status: there is no option --nope\nhint: fanfare status --help"),
        (
            "fanfare", "purge --older-than 12h",
            "purge: the value '12h' is invalid for '--older-than <age>': an age is a day at least"
        ),
        (
            "fanfare", "message list --status bad",
            "message list: the value 'bad' is invalid for '--status <status>': it is one of scheduled, waiting, due,"
        ),
        (
            "fanfare", "status --set dispatch.batch=500 --set log.level=info --set dispatch.batch=600",
            "status: --set dispatch.batch is given twice: give it once.\nhint: fanfare status --help"
        ),
        (
            "fanfare", "config check --set log.level=info --log-level error",
            "config check: --set log.level and --log-level are the same setting: give one of them.\nhint: fanfare config"
        ),
        (
            "fanfare", "run --log-format json --set=log.format=text",
            "run: --set log.format and --log-format are the same setting: give one of them.\nhint: fanfare run --help"
        ),
        (
            "fanfare-emulator", "--set log.level=info --set log.level=info",
            "run: --set log.level is given twice: give it once.\nhint: fanfare-emulator run --help"
        ),
        (
            "fanfare", "enqueue --tag A --tags-expr=B",
            "enqueue: --tags-expr is given twice\nhint: Give it once. A tag, or"
        ),
    ]) func aMisspeltCommandLineIsRefusedWithWhatWasMeant(program: String, words: String, says: String) async throws {
        let ended = try await BuiltProgram(program, settings: nil).run(words.split(separator: " ").map(String.init))
        #expect(ended.status == 64)
        let said = says.hasPrefix("wrong command line: fanfare-emulator") ? "fanfare-emulator" : program
        #expect(ended.errors.hasPrefix("\(said): \(says)"), "\(ended.errors)")
        #expect(ended.output.isEmpty)
    }

    /// Never the last value in silence.
    @Test(arguments: programs)
    func everyOptionGivenTwiceIsRefusedUnlessItIsAList(program: String) async throws {
        var tried = 0
        for command in try await commands(of: program)
        where (command.subcommands?.isEmpty ?? true || command.path.isEmpty) && command.commandName != "emulate" {
            for argument in command.arguments ?? [] where argument.kind == "option" {
                let option = "--\(argument.names?.first { $0.name.count > 1 }?.name ?? "")"
                let words = command.path + [option, "x=1", "\(option)=x=1"]
                let ended = try await BuiltProgram(program, settings: nil).run(words + ["--help"])
                tried += 1
                if argument.isRepeating {
                    #expect(!ended.errors.contains("given twice"), "\(words)")
                } else {
                    // A monitor reads standard output, and knows four exit statuses.
                    let isForMonitors = command.path == ["check"]
                    let said = isForMonitors ? ended.output : ended.errors
                    #expect(ended.status == (isForMonitors ? 3 : 64))
                    #expect(said.contains(": \(option) is given twice"), "\(words): \(said)")
                }
            }
        }
        #expect(tried > (program == "fanfare-lab" ? 2 : 5))
    }

    @Test func theOptionsOfEveryCommandAreOneLineBehindItsOwn() async throws {
        let help = try await BuiltProgram(settings: nil)("status", "--help").output
        #expect(help.contains("USAGE: fanfare status [--watch] [--exact] [--json]\n"), "\(help)")
        #expect(
            help.hasSuffix(
                """
                  -h, --help              Show help information.

                COMMON OPTIONS (--help-hidden explains them):
                  --config <file>  --log-level <level>  --log-format <format>  --set <key=value>\n
                """), "\(help)")
        let whole = try await BuiltProgram(settings: nil)("status", "--help-hidden").output
        #expect(whole.contains("Settings file. Default"))
    }

    @Test(arguments: programs)
    func everyCommandExplainsItselfWithAnExample(program: String) async throws {
        let commands = try await commands(of: program)
        #expect(commands.count > (["fanfare": 20, "fanfare-emulator": 3, "fanfare-lab": 2][program] ?? 0))
        for command in commands {
            #expect(command.abstract?.isEmpty == false, "\(command.path) has no abstract")
            #expect(command.discussion?.contains("Example: ") == true, "\(command.path) has no example")
            for argument in command.arguments ?? [] where argument.shouldDisplay {
                let name = argument.names?.first?.name ?? argument.valueName ?? ""
                #expect(argument.abstract?.isEmpty == false, "\(command.path) \(name) has no help")
            }
        }
    }

    /// `emulate` hands everything on, and the lab has settings of its own.
    @Test(arguments: ["fanfare", "fanfare-emulator"])
    func everyCommandTakesTheCommonOptions(program: String) async throws {
        for command in try await commands(of: program)
        where (command.subcommands?.isEmpty ?? true) && command.commandName != "emulate" {
            let names = (command.arguments ?? []).flatMap { $0.names ?? [] }.map(\.name)
            for name in ["config", "log-level", "log-format", "set"] {
                #expect(names.contains(name), "\(command.path) has no --\(name)")
            }
        }
    }

    @Test(arguments: programs)
    func helpOfEveryCommandCanBeRead(program: String) async throws {
        for command in try await commands(of: program) where command.commandName != "emulate" {
            let ended = try await BuiltProgram(program, settings: nil).run(command.path + ["--help"])
            #expect(ended.status == 0)
            #expect(ended.output.contains("USAGE: \(program)"), "\(command.path)")
            #expect(ended.errors.isEmpty)
        }
    }

    @Test func fanfareAloneShowsItsCommands() async throws {
        let ended = try await BuiltProgram(settings: nil)()
        #expect(ended.status == 0)
        #expect(ended.output.contains("enqueue"))
        #expect(ended.output.contains("SETTING UP SUBCOMMANDS"))
    }

    @Test(arguments: programs)
    func theVersionIsOneLine(program: String) async throws {
        let ended = try await BuiltProgram(program, settings: nil)("--version")
        #expect(ended.status == 0)
        #expect(ended.output.firstMatch(of: /^[0-9]+\.[0-9]+\.[0-9]+\n$/) != nil)
    }

    /// What prints a document of its own, or goes on until it is stopped.
    private static let withoutJSON = [
        "run", "emulate", "sas", "manual", "completions", "config reference", "config schema", "metric reference",
        "migrate reference", "template render", "campaign states", "campaign export",
        "console serve", "console run",
    ]

    @Test func everyOtherCommandHasJSON() async throws {
        let all = try await commands(of: "fanfare").filter { $0.subcommands?.isEmpty ?? true }
        let without = all.filter { command in
            !(command.arguments ?? []).contains { $0.names?.contains { $0.name == "json" } ?? false }
        }
        #expect(without.map { $0.path.joined(separator: " ") }.sorted() == Self.withoutJSON.sorted())
    }
}
