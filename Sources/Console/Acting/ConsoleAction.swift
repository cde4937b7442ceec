import Pages
import Postgres

/// Something that a person can do from a page: a question first, then the change.
///
/// A value is one request for it. Functions that people have in SQL do the work (docs/operations.md), with the role of the right, so what
/// they refuse is refused here in the same words.
protocol ConsoleAction: Sendable {
    /// In its address: `pause-hub`.
    static var name: String { get }

    /// Who may do it: people with one of these. It is done with the role of the first one that the person has.
    static var rights: [Right] { get }

    /// - Throws: `FieldProblem` for a field that is missing or cannot be read.
    init(_ fields: FormFields) throws(FieldProblem)

    /// What `init` reads, so that the question can be answered with it.
    var fields: [(name: String, value: String)] { get }

    /// The segments of the page that shows what it changes, to go back to: `["hubs", "shop"]`. Default: the first page.
    var page: [String] { get }

    /// The filters of that page from which it was asked. Default: there were none.
    var filters: [(name: String, value: String)] { get }

    /// Those with which it shows what was changed. Default: the same.
    var filtersAfter: [(name: String, value: String)] { get }

    /// As the question is about it: what is there now, where the change has to be about just that. Its `fields` have it. Default: as
    /// it is.
    func prepared(_ reader: PageReader) async -> Self

    /// What would happen now. Changes nothing.
    func question(_ reader: PageReader) async -> Question

    /// One transaction of it.
    ///
    /// - Parameter mark: `next` of the step before; nil: the first step.
    /// - Throws: `DatabaseError` with the words for the person.
    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep
}

extension ConsoleAction {
    var page: [String] { [] }
    var filters: [(name: String, value: String)] { [] }
    var filtersAfter: [(name: String, value: String)] { filters }

    func prepared(_ reader: PageReader) async -> Self { self }
}

/// What one step of an action did.
struct ActionStep: Sendable, Equatable {
    /// How many were changed.
    var changed: Int64 = 1
    /// Where the next step goes on; nil: all is done.
    var next: String?
    /// What the person should know besides the number. Default: nothing.
    var remark: String?
    /// The segments of the page of what it made, such as a run; nil: that of the action.
    var page: [String]?
}

/// A field of a form that is missing or cannot be read. Nothing was done.
struct FieldProblem: Error, Equatable {
    var field: String
    var words: String
}

extension FieldProblem {
    /// - Parameters:
    ///   - why: as an error says it, with or without a full stop.
    ///   - hint: what to write instead; nil: nothing is known.
    init(_ field: String, _ why: String, _ hint: String?) {
        self.init(
            field: field,
            words: [why, hint].compactMap(\.self).map { $0.hasSuffix(".") ? $0 : $0 + "." }.joined(separator: " "))
    }
}

/// What a person is asked before something happens.
struct Question: Sendable, Equatable {
    /// What is asked, with what it is about: `Pause hub shop?`
    var title: String
    /// What will happen, in numbers. One sentence each.
    var consequences: [String] = []
    /// Of the button: `Pause the hub`.
    var verb: String
    /// What has to be typed first: a name or a count; nil: nothing.
    var typed: String?
    /// It would do nothing, and why; there is no button then.
    var pointless: String?
    var elsewhere: [Elsewhere] = []
    var troubles: [Trouble] = []

    /// Whose confirmation is more than a button: above these many messages, a mistake is not small.
    static let messagesWithoutTyping = 1_000
}
