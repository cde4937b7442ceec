import Pages
import Postgres
import PushModel
import Store

/// What actions on all that match have in common: what they are about is frozen by the question, counted, and gone through from the
/// newest id down, a batch a step.
///
/// A message is changed once: a step that is repeated, and the whole action begun again, find only what still has the status, and of
/// what ended only what ended before the question.
protocol SelectionAction: ConsoleAction {
    var selection: MessageSelection { get set }
    /// As the question has it; nil: not counted by this value.
    var counted: Part<SelectionCount>? { get set }

    /// The statuses of messages that it changes, in the order in which messages go through them.
    static var statuses: [Status] { get }

    /// Messages of a step, 1 to 1,000.
    static var batch: Int32 { get }

    /// What it reads from a form beside the selection.
    var choices: [(name: String, value: String)] { get }

    /// The question: `Send 1,234 messages again?`
    ///
    /// - Parameter count: `1,234 messages`.
    func title(_ count: String) -> String

    /// Of the button.
    var verb: String { get }

    /// What will happen to them.
    var consequences: [String] { get }

    /// Why none is left that it would change.
    var pointless: String { get }

    /// What it does with an id in SQL, for people.
    ///
    /// - Parameter found: a query of ids.
    func sql(_ found: (String) -> String) -> String

    /// - Returns: how many of the messages were changed, with others that belong to them, and what was refused.
    func change(_ ids: [Int64], _ database: Database) async throws(DatabaseError) -> BulkChange
}

/// What one call did with many messages.
struct BulkChange: Sendable, Equatable {
    var changed: Int64 = 0
    /// The words of the database about the first one that it refused; nil: it refused none.
    var refusal: String?
}

extension SelectionAction {
    static var rights: [Right] { [.operate] }
    var choices: [(name: String, value: String)] { [] }
    var fields: [(name: String, value: String)] { selection.fields + choices }
    var page: [String] { selection.cause == nil ? ["messages"] : ["failures"] }
    var filters: [(name: String, value: String)] { selection.filters(after: false) }
    var filtersAfter: [(name: String, value: String)] { selection.filters(after: true) }

    /// The statuses that are gone through.
    private var statuses: [Status] { selection.statuses(of: Self.statuses) }

    // MARK: The question

    func prepared(_ reader: PageReader) async -> Self {
        var action = self
        if selection.frozen == nil {
            let newest = await reader.part("the newest message", as: .operate, freshFor: 0) {
                database throws(DatabaseError) in try await Messages(database: database).newest()
            }
            switch newest {
            case .unread(let trouble): action.counted = .unread(trouble)
            case .read(let newest): action.selection = selection.frozen(newest.id, asked: newest.at)
            }
        }
        guard action.selection.frozen != nil else { return action }
        let count = await action.count(reader)
        action.counted = count
        action.selection.frozen?.shown = count.value?.shown ?? ""
        return action
    }

    private func count(_ reader: PageReader) async -> Part<SelectionCount> {
        let (selection, statuses) = (selection, statuses)
        let subject = ([Self.name] + fields.map { "\($0.name)=\($0.value)" }).joined(separator: "&")
        return await reader.part("messages that match", of: subject, as: .operate, freshFor: 0) {
            database throws(DatabaseError) in try await SelectionCount.read(selection, statuses, from: database)
        }
    }

    func question(_ reader: PageReader) async -> Question {
        let counted: Part<SelectionCount>
        if let known = self.counted { counted = known } else { counted = await count(reader) }
        switch counted {
        case .unread(let trouble):
            var question = Question(title: "All that match", verb: "", pointless: "The messages could not be counted.")
            question.troubles = [trouble]
            return question
        case .read(let count): return question(about: count)
        }
    }

    /// - Parameter count: of those that it would change, a moment ago.
    func question(about count: SelectionCount) -> Question {
        let shown = count.shown + (count.shown == "1" ? " message" : " messages")
        var question = Question(title: title(shown), verb: verb)
        guard let frozen = selection.frozen, !count.isNone else {
            question.pointless = pointless
            return question
        }
        question.consequences = ["They are all with \(selection.words).", count.words] + consequences
        question.consequences.append(
            "Messages that come from now on (above id \(frozen.newest)), and what fails again, are not touched.")
        // The count may have changed since; it is about what the person saw.
        if count.hasMore || count.total > Question.messagesWithoutTyping { question.typed = frozen.shown }
        question.elsewhere = statuses.map { status in
            Elsewhere(
                about: "\(status.rawValue), \(Self.batch) at a time: again until it finds none",
                sql: sql { selection.sql($0, status, limit: Self.batch) }, role: Self.rights[0].role)
        }
        return question
    }

    // MARK: The change

    func step(_ database: Database, after text: String?) async throws(DatabaseError) -> ActionStep {
        // Without a question nothing is frozen, and nothing is meant.
        guard let frozen = selection.frozen else { return ActionStep(changed: 0) }
        var mark = SelectionMark(text, newest: frozen.newest)
        let statuses = statuses
        guard statuses.indices.contains(mark.phase) else { return ActionStep(changed: 0) }
        let page = try await Messages(database: database).search(
            selection.search(statuses[mark.phase], before: mark.before, limit: Self.batch), milliseconds: 1_000)
        let ids = page.messages.filter(selection.contains).map(\.id)
        let change = ids.isEmpty ? BulkChange() : try await change(ids, database)
        mark.left += max(0, Int64(ids.count) - change.changed)
        var step = ActionStep(changed: change.changed, remark: change.refusal)
        if !page.isEnd, let lookedTo = page.lookedTo {
            mark.before = lookedTo
        } else {
            mark.phase += 1
            mark.before = SelectionMark(nil, newest: frozen.newest).before
        }
        if statuses.indices.contains(mark.phase) {
            step.next = mark.text
        } else if mark.left > 0 {
            let words =
                "\(HumanFormat.count(mark.left, "message")) stayed as they were: erased, suppressed, or changed by others meanwhile."
            step.remark = [step.remark, words].compactMap(\.self).joined(separator: " ")
        }
        return step
    }

    /// Calls a function that refuses all of its messages because of one, such as an erased one, so that only that one is left out.
    func halving(
        _ ids: [Int64], _ call: ([Int64]) async throws(DatabaseError) -> Int32
    ) async throws(DatabaseError) -> BulkChange {
        do throws(DatabaseError) {
            return BulkChange(changed: Int64(try await call(ids)))
        } catch  where error.is(.objectNotInPrerequisiteState) {
            guard ids.count > 1 else { return BulkChange(refusal: "Left out: \(error.message).") }
            let middle = ids.count / 2
            let first = try await halving(Array(ids[..<middle]), call)
            let second = try await halving(Array(ids[middle...]), call)
            return BulkChange(changed: first.changed + second.changed, refusal: first.refusal ?? second.refusal)
        }
    }
}
