import Pages
import Postgres
import Store

/// What actions on a hub have in common: the hub's name as a field, and a look at the hub before the question.
protocol HubAction: ConsoleAction {
    var hub: String { get }

    /// The statement that does it, for people: `SELECT push.resume_hub('shop')`.
    var sql: String { get }
    /// The command that does it; nil: there is none.
    var command: String? { get }

    /// - Parameter standing: of the hub, a moment ago.
    func question(about standing: HubHealth) -> Question
}

extension HubAction {
    static var rights: [Right] { [.operate] }
    var fields: [(name: String, value: String)] { [("hub", hub)] }
    var page: [String] { ["hubs", hub] }

    func question(_ reader: PageReader) async -> Question { await questionAboutHub(reader) }

    /// What `question` is unless an action reads more.
    func questionAboutHub(_ reader: PageReader) async -> Question {
        let standing = await reader.part("hub", of: hub, as: .operate, freshFor: 0) {
            [hub] database throws(DatabaseError) in
            try await HubHealth.read(hub, from: database)
        }
        var question: Question
        switch standing {
        case .unread(let trouble):
            question = Question(title: "Hub \(hub)", verb: "", pointless: "The hub could not be looked at.")
            question.troubles = [trouble]
        case .read(nil):
            question = Question(
                title: "Hub \(hub)", verb: "", pointless: "No hub is registered under this name (any more).")
        case .read(let standing?):
            question = self.question(about: standing)
            question.elsewhere = [Elsewhere(sql: sql, role: Self.rights[0].role, command: command)]
        }
        return question
    }
}

extension FormFields {
    /// - Throws: `FieldProblem` when the field is absent or blank.
    func required(_ name: String, _ words: String) throws(FieldProblem) -> String {
        guard let value = self[name] else { throw FieldProblem(field: name, words: words) }
        return value
    }

    /// The hub that an action is about.
    func hub() throws(FieldProblem) -> String { try required("hub", "Which hub? Come from the page of the hub.") }
}
