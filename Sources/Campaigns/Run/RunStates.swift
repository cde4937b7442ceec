import PushModel

/// The table of transitions (`RunState.on`) as SQL for the schema, and as tables and a diagram for people.
public enum RunStates {
    /// The rows of `push.run_transition`.
    public static var sql: String {
        let rows = RunState.allCases.flatMap { state in
            RunEvent.allCases.map { event in
                let next: RunState? =
                    switch state.on(event) {
                    case .moves(let next, _): next
                    case .stays: state
                    case .refused: nil
                    }
                let word = next.map { "'\($0.rawValue)'" } ?? "NULL"
                return "    ('\(state.rawValue)', '\(event.rawValue)', \(word), '\(quoted(state.on(event).because))')"
            }
        }
        return """
            -- Made by bin/generate from Sources/Campaigns/Run/RunTransition.swift: what each event does to a run in each state.

            DELETE FROM push.run_transition;
            INSERT INTO push.run_transition (state, event, next, because) VALUES
            \(rows.joined(separator: ",\n"));
            """
    }

    /// What becomes of a run that a person asks something of, as a table of Markdown: a row for each state.
    public static var asked: String {
        let events = RunEvent.allCases.filter { $0.isAsked && $0 != .resumeInTurn }
        let rows = RunState.allCases.map { state in
            let cells = events.map { event in
                switch state.on(event) {
                case .moves(let next, _): "`\(next.rawValue)`"
                case .stays: "holds"
                case .refused: "–"
                }
            }
            return "| `\(state.rawValue)` | \(cells.joined(separator: " | ")) |"
        }
        let names = events.map { $0.rawValue.replacing(scalars: "_", with: " ") }.joined(separator: " | ")
        let rule = String(repeating: "|---", count: events.count + 1) + "|"
        return "| state | \(names) |\n\(rule)\n" + rows.joined(separator: "\n")
    }

    /// Each state with each event and its reason, as a table of Markdown.
    public static var reasons: String {
        let rows = RunState.allCases.flatMap { state in
            RunEvent.allCases.map { event in
                let cell =
                    switch state.on(event) {
                    case .moves(let next, _): "`\(next.rawValue)`"
                    case .stays: "holds"
                    case .refused: "–"
                    }
                return "| `\(state.rawValue)` | `\(event.rawValue)` | \(cell) | \(state.on(event).because) |"
            }
        }
        return "| state | event | next | why, or what to do instead |\n|---|---|---|---|\n"
            + rows.joined(separator: "\n")
    }

    /// The transitions that change a state, as a diagram of Mermaid.
    public static var diagram: String {
        var lines: [String] = []
        for state in RunState.allCases {
            for next in RunState.allCases {
                let events = RunEvent.allCases.filter { event in
                    if case .moves(next, _) = state.on(event) { return true }
                    return false
                }
                guard !events.isEmpty else { continue }
                lines.append(
                    "    \(state.rawValue) --> \(next.rawValue): \(events.map(\.rawValue).joined(separator: ", "))")
            }
        }
        return "stateDiagram-v2\n    [*] --> waiting\n    [*] --> running\n" + lines.joined(separator: "\n")
    }

    private static func quoted(_ text: String) -> String {
        text.replacing(scalars: "'", with: "''")
    }
}
