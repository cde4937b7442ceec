import Pages
import Postgres
import PushModel
import Store

/// Takes back what a dead worker holds, without waiting for another one to find out (`push.rescue`).
struct RescueWorkerAction: ConsoleAction {
    static let name = "rescue-worker"
    static let rights: [Right] = [.operate]

    let number: Int32
    /// `host/pid`: a number may be another worker's by now.
    let worker: String

    init(_ worker: SystemStatus.Worker) { (number, self.worker) = (worker.id, worker.name) }

    init(_ fields: FormFields) throws(FieldProblem) {
        guard let number = fields["number"].flatMap({ Int32($0) }), number > 0 else {
            throw FieldProblem(
                field: "number",
                words: "Which worker? Come from the table of workers on the first page. Nothing was done.")
        }
        self.number = number
        worker = try fields.required("worker", "Which worker? Come from the table of workers on the first page.")
    }

    var fields: [(name: String, value: String)] { [("number", "\(number)"), ("worker", worker)] }

    func question(_ reader: PageReader) async -> Question {
        let workers = await reader.part("workers", as: .operate, freshFor: 0) { database throws(DatabaseError) in
            try await SystemStatus.workers(from: database)
        }
        switch workers {
        case .unread(let trouble):
            var question = Question(
                title: "Worker \(worker)", verb: "", pointless: "The workers could not be looked at.")
            question.troubles = [trouble]
            return question
        case .read(let workers): return question(about: workers.first { $0.id == number && $0.name == worker })
        }
    }

    /// - Parameter standing: of the worker, a moment ago; nil: it is gone.
    func question(about standing: SystemStatus.Worker?) -> Question {
        guard let standing else {
            return Question(
                title: "Worker \(worker)", verb: "",
                pointless: "This worker is gone: another one rescued what it held, or it ended by itself.")
        }
        var question = Question(title: "Rescue what worker \(worker) holds?", verb: "Rescue")
        guard !standing.alive else {
            question.pointless =
                "It beats again, \(HumanFormat.duration(standing.lastBeat)) ago: only what a dead worker holds is rescued."
            return question
        }
        question.consequences = [
            "Its last heartbeat was \(HumanFormat.duration(standing.lastBeat)) ago. It holds "
                + "\(OverviewText.messages(standing.messages)) in \(HumanFormat.count(standing.claims, "claim")).",
            "What it had not posted is due again, for the other workers.",
            "What it had posted and has no answer is in doubt, for a person to decide; it is sent again only where the message itself asks for that.",
            "The worker is removed. If its process still runs, it posts nothing more of this, and registers anew.",
        ]
        if standing.messages > Question.messagesWithoutTyping { question.typed = worker }
        question.elsewhere = [
            Elsewhere(
                sql: "SELECT * FROM push.rescue(worker => \(number))", role: Self.rights[0].role,
                command: "fanfare rescue \(number)")
        ]
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        let found = try await Workers(database: database).rescue(number, force: false)
        let words = "\(HumanFormat.count(found.returned, "message")) due again, \(found.doubted) in doubt."
        return ActionStep(changed: Int64(found.returned + found.doubted), remark: words)
    }
}
