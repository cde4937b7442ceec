import Pages
import PushModel
import Store

/// The filters of a page: what a person asked for in the address, what it means, and what of it cannot be read. Pure.
///
/// A page takes its fields one after the other, in the order in which they are shown, and then calls `end`. A field that cannot be
/// read gives nil, keeps its text, and has a problem: then `isReadable` is false, and the page asks the database for nothing.
struct FilterForm: Sendable {
    /// One field, as it is shown again.
    struct Field: Sendable, Equatable {
        var name: String
        var label: String
        /// What may stand in it. Empty: any text.
        var hint = ""
        /// As it was typed; empty: nothing was.
        var text: String
        /// Why it cannot be read, in a sentence; nil: it can.
        var problem: String?
        /// Empty: it is a line of text.
        var choices: [String] = []
        /// What stands in it unless something else was chosen; empty: any of the choices.
        var initial = ""
    }

    /// Characters that a field may have.
    static let limit = 1_000

    /// Names that are no filters and mean something on every page.
    static let ofEveryPage: Set<String> = ["live"]

    private let given: FormFields
    private(set) var fields: [Field] = []
    /// What is wrong and belongs to no field that is shown.
    private(set) var problems: [String] = []
    private var hidden: Set<String> = []

    init(_ given: FormFields) { self.given = given }

    /// Whether every field could be read.
    var isReadable: Bool { problems.isEmpty && fields.allSatisfy { $0.problem == nil } }

    // MARK: Taking fields

    /// A field with any text.
    ///
    /// - Parameter name: in lower case.
    mutating func text(_ name: String, _ label: String, hint: String = "") -> String? {
        take(Field(name: name, label: label, hint: hint, text: "")) { text throws(FilterProblem) in text }
    }

    /// A field with one of some words.
    ///
    /// - Parameter initial: what stands in it unless something else was chosen; nil: nothing, which means any of them.
    mutating func choice(
        _ name: String, _ label: String, of choices: [String], initial: String? = nil
    ) -> String? {
        let initial = initial ?? ""
        return take(Field(name: name, label: label, text: initial, choices: choices, initial: initial)) {
            text throws(FilterProblem) in
            guard choices.contains(text) else { throw .unknown(text, label.lowercased(), among: choices) }
            return text
        }
    }

    /// A time that has passed: an age, or ISO 8601.
    ///
    /// - Parameter initial: what stands in it unless something else was typed; nil: nothing.
    mutating func time(_ name: String, _ label: String, initial: String? = nil) -> MessageSearch.Time? {
        take(Field(name: name, label: label, hint: FilterTime.hint, text: initial ?? "")) {
            text throws(FilterProblem) in try FilterTime.read(text)
        }
    }

    /// A field with the id of something.
    mutating func id(_ name: String, _ label: String) -> Int64? {
        take(Field(name: name, label: label, text: ""), Self.id)
    }

    /// Below which id a page begins. It has no field, because another filter begins at the newest again.
    mutating func before() -> Int64? {
        hidden.insert("before")
        guard let text = given["before"] else { return nil }
        do throws(FilterProblem) {
            return try Self.id(text)
        } catch {
            problems.append("before: \(error.words)")
            return nil
        }
    }

    /// Behind which name a page begins. It has no field, because another filter begins at the first again.
    mutating func after() -> String? {
        hidden.insert("after")
        guard let text = given["after"] else { return nil }
        guard text.count <= Self.limit, !text.unicodeScalars.contains("\0") else {
            problems.append("after: \(text.quoted) is no name that a page could begin behind.")
            return nil
        }
        return text
    }

    /// After the last field: names that no field has are a problem, because a page without the filter that somebody meant shows
    /// too much.
    mutating func end() {
        let known = fields.map(\.name) + hidden + Self.ofEveryPage
        for name in Set(given.names).subtracting(known).sorted() {
            problems.append(FilterProblem.unknown(name, "filter", among: fields.map(\.name)).words)
        }
    }

    /// Puts what the database said about a value beside its field.
    mutating func refuse(_ name: String, because words: String) {
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return problems.append(words) }
        fields[index].problem = words
    }

    // MARK: Addresses

    /// The fields of an address with the same filters.
    ///
    /// - Parameter before: nil: from the newest on.
    func query(before: Int64? = nil) -> [(String, String?)] {
        chosen + [("before", before.map { "\($0)" })]
    }

    /// The same for a list by name.
    ///
    /// - Parameter after: nil: from the first on.
    func query(after: String?) -> [(String, String?)] { chosen + [("after", after)] }

    private var chosen: [(String, String?)] { fields.map { ($0.name, $0.text.isEmpty ? nil : $0.text) } }

    // MARK: Reading

    private mutating func take<Value>(
        _ field: Field, _ read: (String) throws(FilterProblem) -> Value
    ) -> Value? {
        var field = field
        field.text = given[field.name]?.trimmed ?? field.text
        defer { fields.append(field) }
        guard !field.text.isEmpty else { return nil }
        do throws(FilterProblem) {
            // PostgreSQL has no text with it.
            if field.text.unicodeScalars.contains("\0") { throw FilterProblem("No text has the character U+0000.") }
            if field.text.count > Self.limit { throw FilterProblem("At most \(Self.limit) characters.") }
            return try read(field.text)
        } catch {
            field.problem = error.words
            field.text = String(field.text.prefix(Self.limit))
            return nil
        }
    }

    private static func id(_ text: String) throws(FilterProblem) -> Int64 {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw FilterProblem("\(text.quoted) is no id, which is a whole number.")
        }
        guard let id = Int64(text) else { throw FilterProblem("No id is as large as \(text.quoted).") }
        return id
    }
}

extension String {
    /// Without blanks at both ends, which come along when something is copied.
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
