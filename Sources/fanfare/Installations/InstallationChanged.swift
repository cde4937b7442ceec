import CommandLineTool
import ArgumentParser
import Providers

/// What the hub said to changes of installations: a line for each that is done, and a failure for the others. Pure.
enum InstallationChanged {
    /// - Parameter verb: `put`, `change`, `delete`.
    static func report(_ answers: [(id: String, answer: InstallationAnswer)], verb: String, hub: String) -> Report {
        let failures = answers.filter { !isDone($0.answer, verb) }.map { id, answer in
            answer.isMissing
                ? Failure(
                    "cannot \(verb) installation \"\(id)\"", because: "hub \"\(hub)\" has no such installation",
                    status: .badInput)
                : answer.failure("cannot \(verb) installation \"\(id)\"", hub: hub)
        }
        let done = answers.filter { isDone($0.answer, verb) }.map { "\($0.id): \(past[verb] ?? verb)" }
        return Report(done.joined(separator: "\n"), .list(answers.map { json($0, $1, verb, hub) }))
            .failing(with: failures.last.map { Failure(failures.flatMap(\.complaints), status: $0.status) })
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
