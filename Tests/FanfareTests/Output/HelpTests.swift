import Foundation
import Testing

@Suite struct HelpTests {
    /// What `--experimental-dump-help` says of one command.
    private struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable { var name: String }
            var abstract: String?
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

        /// As typed, without `fanfare`.
        var path: [String] { (superCommands ?? []).dropFirst() + (superCommands == nil ? [] : [commandName]) }
        var everything: [Command] { [self] + (subcommands ?? []).flatMap(\.everything) }
    }

    /// Every command but ArgumentParser's own `help`.
    private func commands() async throws -> [Command] {
        struct Dump: Decodable { var command: Command }
        let output = try await Fanfare(settings: nil)("--experimental-dump-help").output
        return try JSONDecoder().decode(Dump.self, from: Data(output.utf8)).command.everything
            .filter { $0.commandName != "help" }
    }

    @Test func everyCommandExplainsItselfWithAnExample() async throws {
        let commands = try await commands()
        #expect(commands.count > 20)
        for command in commands {
            #expect(command.abstract?.isEmpty == false, "\(command.path) has no abstract")
            #expect(command.discussion?.contains("Example: ") == true, "\(command.path) has no example")
            for argument in command.arguments ?? [] where argument.shouldDisplay {
                let name = argument.names?.first?.name ?? argument.valueName ?? ""
                #expect(argument.abstract?.isEmpty == false, "\(command.path) \(name) has no help")
            }
        }
    }

    @Test func everyCommandTakesTheCommonOptions() async throws {
        for command in try await commands() where command.subcommands?.isEmpty ?? true {
            let names = (command.arguments ?? []).flatMap { $0.names ?? [] }.map(\.name)
            for name in ["config", "log-level", "log-format", "set"] {
                #expect(names.contains(name), "\(command.path) has no --\(name)")
            }
        }
    }

    @Test func helpOfEveryCommandCanBeRead() async throws {
        for command in try await commands() {
            let ended = try await Fanfare(settings: nil).run(command.path + ["--help"])
            #expect(ended.status == 0)
            #expect(ended.output.contains("USAGE: fanfare"), "\(command.path)")
            #expect(ended.errors.isEmpty)
        }
    }

    @Test func fanfareAloneShowsItsCommands() async throws {
        let ended = try await Fanfare(settings: nil)()
        #expect(ended.status == 0)
        #expect(ended.output.contains("enqueue"))
        #expect(ended.output.contains("SETTING UP SUBCOMMANDS"))
    }

    @Test func theVersionIsOneLine() async throws {
        let ended = try await Fanfare(settings: nil)("--version")
        #expect(ended.status == 0)
        #expect(ended.output.firstMatch(of: /^[0-9]+\.[0-9]+\.[0-9]+\n$/) != nil)
    }
}
