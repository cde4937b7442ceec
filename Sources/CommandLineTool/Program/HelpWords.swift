import ArgumentParser
import PushModel

/// The words behind `help`. ArgumentParser stops at the first one that is no command, and prints the help of the command
/// before it as if that had been asked for.
struct HelpWords {
    /// - Parameter words: all arguments of the program.
    /// - Throws: `Failure` for a word that is no command.
    static func check(_ words: [String], of program: any Program.Type) throws(Failure) {
        guard words.first == "help" else { return }
        var command: any ParsableCommand.Type = program
        var path: [String] = []
        for word in words.dropFirst() where !word.hasPrefix("-") {
            let known = command.configuration.subcommands
            guard let next = known.first(where: { $0._commandName == word }) else {
                let names = known.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
                let near = DidYouMean.nearest(to: word, in: names).map { "did you mean \($0)?" }
                let listed = names.isEmpty ? "it has no commands" : "the commands are \(names.joined(separator: ", "))"
                throw Failure(
                    "help", because: "\(([program.programName] + path).joined(separator: " ")) has no command \(word)",
                    hint: near ?? listed, status: .usage)
            }
            command = next
            path.append(word)
        }
    }
}
