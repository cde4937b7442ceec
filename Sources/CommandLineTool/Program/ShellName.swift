import ArgumentParser

/// A shell that can complete our commands.
package enum ShellName: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish

    /// The script with which it completes the commands and options of a program.
    package func completions(of program: any Program.Type) -> String {
        let shell: CompletionShell =
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        return program.completionScript(for: shell)
    }
}
