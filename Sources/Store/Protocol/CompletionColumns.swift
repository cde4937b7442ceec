/// Answers as the arrays `push_worker.complete_v1` takes, made in one pass: entries are large, and with one pass per column each
/// was copied a dozen times.
struct CompletionColumns {
    /// Messages that were accepted and had a post of their own, each with that post and its answer.
    private(set) var alone = Alone()
    /// The posts of all other answers.
    private(set) var ids: [Int64] = []
    private(set) var verdicts: [String] = []
    private(set) var https: [Int16?] = []
    private(set) var milliseconds: [Int32] = []
    private(set) var trackings: [String?] = []
    private(set) var notifications: [String?] = []
    private(set) var errors: [String?] = []
    private(set) var statuses: [String?] = []
    private(set) var reasons: [String?] = []
    private(set) var costs: [Int16] = []
    private(set) var delays: [Double?] = []
    private(set) var notes: [String?] = []
    /// The messages of those that were accepted, and the post of each.
    private(set) var taken: [Int64] = []
    private(set) var takenIn: [Int64] = []

    struct Alone {
        private(set) var messages: [Int64] = []
        private(set) var posts: [Int64] = []
        private(set) var https: [Int16?] = []
        private(set) var milliseconds: [Int32] = []
        private(set) var trackings: [String?] = []
        private(set) var notifications: [String?] = []

        /// - Returns: whether it is of this kind.
        mutating func append(_ entry: Completion.Answered) -> Bool {
            guard let outcome = entry.outcome, outcome.status == .accepted, outcome.reason == .takenByHub,
                outcome.note == nil, entry.answer.verdict == .accepted, entry.answer.error == nil,
                entry.messages.count == 1
            else { return false }
            messages.append(entry.messages[0])
            posts.append(entry.post)
            https.append(entry.answer.status.map(Int16.init(clamping:)))
            milliseconds.append(Int32(clamping: entry.answer.milliseconds))
            trackings.append(CompletionColumns.storable(entry.answer.tracking))
            notifications.append(CompletionColumns.storable(entry.answer.notification))
            return true
        }
    }

    init(_ answered: [Completion.Answered]) {
        for entry in answered where !alone.append(entry) {
            ids.append(entry.post)
            verdicts.append(entry.answer.verdict.word)
            https.append(entry.answer.status.map(Int16.init(clamping:)))
            milliseconds.append(Int32(clamping: entry.answer.milliseconds))
            trackings.append(Self.storable(entry.answer.tracking))
            notifications.append(Self.storable(entry.answer.notification))
            errors.append(Self.storable(entry.answer.error))
            statuses.append(entry.outcome?.status.rawValue)
            reasons.append(entry.outcome?.reason.rawValue)
            costs.append(entry.outcome?.cost ?? 0)
            delays.append(entry.outcome?.delay)
            notes.append(Self.storable(entry.outcome?.note))
            if entry.outcome?.status == .accepted {
                taken.append(contentsOf: entry.messages)
                takenIn.append(contentsOf: repeatElement(entry.post, count: entry.messages.count))
            }
        }
    }

    /// The text of a hub or a network without NUL, which PostgreSQL cannot store: a refused text would keep all results of
    /// the statement from being written.
    static func storable(_ text: String?) -> String? {
        guard var text, text.withUTF8({ $0.contains(0) }) else { return text }
        return String(text.unicodeScalars.filter { $0 != "\0" }.map(Character.init))
    }
}
