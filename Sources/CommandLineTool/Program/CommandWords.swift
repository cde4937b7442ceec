import ArgumentParser
import Foundation
import PushModel

/// The words of a command line, looked at before ArgumentParser does: of two values it takes the last in silence, for a
/// misspelt command it prints the help of the one above, and it reports what is missing before what is misspelt.
enum CommandWords {
    /// - Parameter words: all arguments of the program.
    /// - Throws: `Failure` for a word that is no command, for an option that the command does not have, and for an option
    ///   with one value that is given twice.
    static func check(_ words: [String], of program: any Program.Type) throws(Failure) {
        guard words.first != "help" else {
            _ = try command(Array(words.dropFirst().filter { !$0.hasPrefix("-") }), of: program, saying: "help")
            return
        }
        let (command, path) = try self.command(Array(words.prefix { !$0.hasPrefix("-") }), of: program, saying: nil)
        guard command.configuration.subcommands.isEmpty,
            let dump = try? JSONDecoder().decode(HelpDump.self, from: Data(command._dumpHelp().utf8))
        else { return }
        guard let problem = problem(in: Array(words.dropFirst(path.count)), of: dump.command.arguments ?? []) else {
            return
        }
        let name = path.joined(separator: " ")
        throw Failure(
            name.isEmpty ? "wrong command line" : name, because: problem.why,
            hint: problem.hint ?? "\(([program.programName] + path).joined(separator: " ")) --help", status: .usage)
    }

    /// Goes down the tree as far as there are commands.
    private static func command(
        _ words: [String], of program: any Program.Type, saying what: String?
    ) throws(Failure) -> (any ParsableCommand.Type, path: [String]) {
        var command: any ParsableCommand.Type = program
        var path: [String] = []
        for word in words {
            let known = command.configuration.subcommands
            if what == nil, known.isEmpty { break }
            guard let next = known.first(where: { $0._commandName == word }) else {
                let names = known.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
                let near = DidYouMean.command(for: word, in: names).map { "did you mean \($0)?" }
                let listed = names.isEmpty ? "it has no commands" : "the commands are \(names.joined(separator: ", "))"
                throw Failure(
                    what ?? "wrong command line",
                    because: "\(([program.programName] + path).joined(separator: " ")) has no command \(word)",
                    hint: near ?? listed, status: .usage)
            }
            command = next
            path.append(word)
        }
        return (command, path)
    }

    /// Options ArgumentParser has everywhere and does not list.
    private static let unlisted: Set<String> = [
        "--help", "--help-hidden", "--version", "--generate-completion-script", "--experimental-dump-help",
    ]

    /// What is wrong with the options of a command.
    private static func problem(
        in words: [String], of arguments: [HelpDump.Argument]
    ) -> (why: String, hint: String?)? {
        // Whatever follows such an argument is for another program.
        if arguments.contains(where: { $0.parsingStrategy == "allRemainingInput" }) { return nil }
        var given: Set<Int> = []
        var isValue = false
        for word in words {
            if word == "--" { return nil }
            defer { isValue = false }
            guard word.hasPrefix("--"), !isValue else { continue }
            let name = String(word.prefix { $0 != "=" })
            guard let index = arguments.firstIndex(where: { $0.options.contains(name) }) else {
                if unlisted.contains(name) { continue }
                let near = DidYouMean.command(for: name, in: arguments.flatMap(\.options))
                return ("there is no option \(name)", near.map { "did you mean \($0)?" })
            }
            let argument = arguments[index]
            guard argument.kind == "option" else { continue }
            guard given.insert(index).inserted || argument.isRepeating else {
                return ("\(name) is given twice", "Give it once. \(argument.abstract ?? "")")
            }
            isValue = !word.contains("=")
        }
        return nil
    }
}

extension HelpDump.Argument {
    /// Its long names, as they are typed.
    fileprivate var options: [String] { (names ?? []).filter { $0.kind == "long" }.map { "--\($0.name)" } }
}
