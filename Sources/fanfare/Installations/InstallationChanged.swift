import CommandLineTool
import ArgumentParser
import Providers

/// What the hub said to changes of installations.
enum InstallationChanged {
    /// Prints the answers; what was no success ends the command.
    ///
    /// - Parameter verb: `put`, `change`, `delete`.
    static func show(
        _ answers: [(id: String, answer: InstallationAnswer)], verb: String, hub: String, asJSON: Bool
    ) throws {
        let failures = answers.filter { !isDone($0.answer, verb) }.map { id, answer in
            answer.isMissing
                ? Failure(
                    "cannot \(verb) installation \"\(id)\"", because: "hub \"\(hub)\" has no such installation",
                    status: .badInput)
                : answer.failure("cannot \(verb) installation \"\(id)\"", hub: hub)
        }
        if asJSON {
            try StandardStreams.print(JSONOutput.list(answers.map { json($0, $1, verb, hub) }).document)
        } else {
            let done = answers.filter { isDone($0.answer, verb) }
            if !done.isEmpty {
                try StandardStreams.print(done.map { "\($0.id): \(past[verb] ?? verb)" }.joined(separator: "\n"))
            }
        }
        guard let last = failures.last else { return }
        if asJSON { throw ExitCode(last.status.rawValue) }
        throw Failure(failures.flatMap(\.complaints), status: last.status)
    }

    /// Queued, not done: reads show it later.
    private static let past = ["put": "put", "change": "changed", "delete": "deleted"]

    private static func isDone(_ answer: InstallationAnswer, _ verb: String) -> Bool {
        answer.verdict == .accepted || verb == "delete" && answer.isMissing
    }

    private static func json(_ id: String, _ answer: InstallationAnswer, _ verb: String, _ hub: String) -> JSONOutput {
        let ending = answer.ending(hub: hub)
        let isDone = isDone(answer, verb)
        return .object([
            "id": .text(id), "done": .flag(isDone), "http": .number(answer.answer.status),
            "because": .text(isDone ? nil : ending.because), "tracking_id": .text(answer.answer.tracking),
            "verdict": .text(answer.isMissing ? "missing" : ending.word),
        ])
    }
}
