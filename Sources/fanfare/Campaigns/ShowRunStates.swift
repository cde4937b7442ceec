import ArgumentParser
import Campaigns
import CommandLineTool
import PushModel

/// `fanfare campaign states`
struct ShowRunStates: ParsableCommand {
    /// What to print.
    enum Form: String, ExpressibleByArgument, CaseIterable {
        /// What becomes of a run that a person asks something of.
        case asked
        /// Each state with each event.
        case reasons
        /// Mermaid.
        case diagram
        /// The rows of `push.run_transition`.
        case sql
    }

    static let configuration = CommandConfiguration(
        commandName: "states",
        abstract: "What can be done with a run in which state, and why not.",
        discussion: """
            Each row is a state, each column what is asked: the state that the run gets; holds, where it keeps its own; –, \
            where that is refused. --form reasons says why. Needs no database: push.run_transition has the same rows.

            Example: fanfare campaign states
            """)

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @Option(help: "asked; reasons: each state with each event; diagram: Mermaid; sql: push.run_transition.")
    var form = Form.asked

    func run() throws {
        let text =
            switch form {
            case .asked: RunStates.asked
            case .reasons: RunStates.reasons
            case .diagram: RunStates.diagram
            case .sql: RunStates.sql
            }
        try StandardStreams.print(text)
    }
}
