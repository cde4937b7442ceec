import Pages

/// One problem as the page shows it.
struct ProblemView {
    let problemWord: String
    /// Of the badge: `bad`, `waits` or `off`.
    let problemClass: String
    let problemWhat: String
    let problemWhy: SentenceView
    let problemTodo: String
    let problemSince: AgeView?
    /// Empty: no page has more about it.
    let problemAddress: String
    let problemLink: String

    init(_ problem: Problem, for visit: Visit) {
        (problemWord, problemClass) =
            switch problem.severity {
            case .critical: ("critical", "bad")
            case .warning: ("warning", "waits")
            case .decision: ("waits for a person", "off")
            }
        problemWhat = problem.what
        problemWhy = SentenceView(problem.why)
        problemTodo = problem.todo
        problemSince = problem.since.map { AgeView(since: $0, at: visit.now) }
        problemAddress = problem.link.flatMap { visit.existing($0.path, $0.fields) } ?? ""
        problemLink = problem.link?.name ?? ""
    }
}
