import Pages
import Postgres
import PushModel
import Store

/// What actions on chosen messages have in common: their ids as fields, and a look at where they stand before the question.
protocol MessageAction: ConsoleAction {
    var messages: MessageIDs { get set }

    /// The statement that does it, for people.
    var sql: String { get }
    /// The command that does it; nil: there is none.
    var command: String? { get }

    /// - Parameter standings: of the messages, a moment ago; unknown ones are missing.
    func question(about standings: [Int64: Messages.Standing]) -> Question
}

extension MessageAction {
    static var rights: [Right] { [.operate] }
    var fields: [(name: String, value: String)] { messages.fields }
    var page: [String] { ["messages"] + (messages.ids.count == 1 ? [messages.words] : []) }

    /// The messages as the question shows them: what somebody else does to one meanwhile is not what is confirmed.
    func prepared(_ reader: PageReader) async -> Self {
        var prepared = self
        prepared.messages.asked = await reader.part("time", as: .operate, freshFor: 0) {
            database throws(DatabaseError) in
            try await Messages(database: database).newest()
        }.value?.at
        return prepared
    }

    func question(_ reader: PageReader) async -> Question {
        let ids = messages.ids
        let standings = await reader.part("messages", of: messages.words, as: .operate, freshFor: 0) {
            database throws(DatabaseError) in try await Messages(database: database).standings(of: ids)
        }
        switch standings {
        case .unread(let trouble):
            var question = Question(title: "Messages", verb: "", pointless: "The messages could not be looked at.")
            question.troubles = [trouble]
            return question
        case .read(let standings):
            var question = question(about: standings)
            question.elsewhere = [Elsewhere(sql: sql, role: Self.rights[0].role, command: command)]
            if let pointless = question.pointless {
                question.pointless = ([pointless] + (await meanwhile(standings, reader))).joined(separator: " ")
            } else {
                addCounts(of: standings, to: &question)
            }
            return question
        }
    }

    /// `3 are rejected, 1 is accepted, 1 is unknown.`
    private func addCounts(of standings: [Int64: Messages.Standing], to question: inout Question) {
        let statuses = messages.ids.map { standings[$0]?.status ?? "unknown" }
        let counts = Dictionary(grouping: statuses) { $0 }.mapValues(\.count).sorted {
            ($0.value, $1.key) > ($1.value, $0.key)
        }
        let words = counts.map { "\($0.value) \($0.value == 1 ? "is" : "are") \($0.key)" }.joined(separator: ", ")
        question.consequences.insert("Of \(HumanFormat.count(messages.ids.count, "chosen message")), \(words).", at: 0)
    }

    /// Messages of which it is said what they are now.
    private static var told: Int { 3 }

    /// What messages are now, and who did that: `Message 7 is accepted now, decided by Ann.`
    private func meanwhile(_ standings: [Int64: Messages.Standing], _ reader: PageReader) async -> [String] {
        var words: [String] = []
        for id in messages.ids.prefix(Self.told) {
            guard let standing = standings[id] else { continue }
            let story = await reader.part("story", of: "\(id)", as: .operate, freshFor: 0) {
                database throws(DatabaseError) in try await Messages(database: database).story(of: id)
            }
            let deed = story.value?.steps.last { $0.person != nil && $0.step != "inserted" }
            let who = deed.map { ", \($0.step) by \($0.person ?? "")" } ?? ""
            words.append("Message \(id) is \(standing.status) now\(who).")
        }
        return words
    }

    /// Those of which the person saw what they are; the others were sent again, or decided, by somebody else since the question.
    func seen(_ standings: [Int64: Messages.Standing]) -> [Int64] {
        messages.ids.filter { standings[$0].map(messages.saw) ?? true }
    }

    /// `7 was changed by somebody else meanwhile, and stays as it is.` Nil: none was.
    func remark(on seen: [Int64]) -> String? {
        let seen = Set(seen)
        let others = messages.ids.filter { !seen.contains($0) }
        guard !others.isEmpty else { return nil }
        return others.map(String.init).joined(separator: ", ")
            + (others.count == 1
                ? " was changed by somebody else meanwhile, and stays as it is."
                : " were changed by somebody else meanwhile, and stay as they are.")
    }

    /// How many of the messages have one of these statuses, and had it when the question was shown.
    func count(_ statuses: Set<String>, in standings: [Int64: Messages.Standing]) -> Int {
        messages.ids.count { standings[$0].map { statuses.contains($0.status) && messages.saw($0) } ?? false }
    }
}

extension Unmoved {
    /// Nil: all were moved.
    var remark: String? {
        rows.isEmpty ? nil : rows.map { "\($0.id) \($0.status): \($0.why.asSentence)" }.joined(separator: " ")
    }
}

extension [String?] {
    /// Nil: there is nothing to say.
    var asSentences: String? {
        let words = compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}
