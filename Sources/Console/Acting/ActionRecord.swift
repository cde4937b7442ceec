/// One action of one person since the console was started: under way, or how it ended.
struct ActionRecord: Sendable, Equatable {
    enum State: Sendable, Equatable {
        case working
        /// The database is away: it goes on when that is back.
        case waiting(String)
        /// It ends after the step that is under way.
        case stopping
        case done
        case stopped
        /// Refused, or failed on the way: the words of the database.
        case failed(words: String, hint: String?)
    }

    let id: String
    /// What it is, without a question mark: `Pause hub shop`.
    let title: String
    let person: String
    /// Seconds since 1970.
    let began: Double
    var ended: Double?
    var changed: Int64 = 0
    var remarks: [String] = []
    var state = State.working

    var isOver: Bool {
        switch state {
        case .working, .waiting, .stopping: false
        case .done, .stopped, .failed: true
        }
    }
}
