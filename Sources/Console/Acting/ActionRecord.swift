/// The form of an action, with which it can be asked for once more.
struct ActionForm: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        let name: String
        let value: String
    }

    let name: String
    let fields: [Field]
    /// One of them is needed.
    let rights: [Right]

    init(_ action: any ConsoleAction) {
        name = type(of: action).name
        fields = Self.fields(action.fields)
        rights = type(of: action).rights
    }

    static func fields(_ pairs: [(name: String, value: String)]) -> [Field] {
        pairs.map { Field(name: $0.name, value: $0.value) }
    }
}

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
    /// The segments of the page that shows what it changed.
    var page: [String] = []
    /// Of that page.
    var filters: [ActionForm.Field] = []
    /// Seconds since 1970.
    let began: Double
    var ended: Double?
    /// To begin it again with; nil: there is no way.
    var form: ActionForm?
    var changed: Int64 = 0
    /// The latest ones.
    private(set) var remarks: [String] = []
    var state = State.working

    /// More than anybody reads are forgotten.
    static let mostRemarks = 50

    mutating func add(_ remarks: [String]) {
        self.remarks = (self.remarks + remarks).suffix(Self.mostRemarks)
    }

    var isOver: Bool {
        switch state {
        case .working, .waiting, .stopping: false
        case .done, .stopped, .failed: true
        }
    }
}
