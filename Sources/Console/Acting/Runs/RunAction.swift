import Campaigns
import Pages
import Postgres
import PushModel
import Store

/// What actions on a run have in common: its campaign and key as fields, and a look at the run before the question.
///
/// Which event does something in which state is said by `RunState.on` alone, for the question and for the buttons of a page.
protocol RunAction: ConsoleAction {
    var run: RunReference { get }

    /// The statement that does it, for people.
    var sql: String { get }
    /// The command that does it.
    var command: String { get }
    /// Whether the question is about why messages failed.
    var asksReasons: Bool { get }

    /// Why it would do nothing now, in sentences; nil: it would do something.
    func pointless(_ standing: RunStanding) -> String?

    /// Where it would do something.
    ///
    /// - Parameter standing: of the run, a moment ago.
    func question(about standing: RunStanding) -> Question
}

extension RunAction {
    static var rights: [Right] { [.campaigns, .operate] }
    var page: [String] { run.page }
    var fields: [(name: String, value: String)] { run.fields }
    var asksReasons: Bool { false }

    func question(_ reader: PageReader) async -> Question {
        let right = reader.person.first(of: Self.rights)
        let (run, asksReasons) = (run, asksReasons)
        let standing = await reader.part(
            asksReasons ? "run and reasons" : "run", of: run.subject, as: right, freshFor: 0
        ) {
            database throws(DatabaseError) -> RunStanding? in
            let store = CampaignStore(database: database)
            guard let progress = try await store.run(run.campaign, key: run.key) else { return nil }
            let failures = asksReasons ? try await store.failures(ofRun: run.key, of: run.campaign) : []
            return RunStanding(progress: progress, failures: failures)
        }
        let title = run.name.prefix(1).uppercased() + run.name.dropFirst()
        switch standing {
        case .unread(let trouble):
            var question = Question(title: title, verb: "", pointless: "The run could not be looked at.")
            question.troubles = [trouble]
            return question
        case .read(nil):
            return Question(title: title, verb: "", pointless: "The campaign has no run of this key (any more).")
        case .read(let standing?):
            var question = question(about: standing)
            question.pointless = pointless(standing)
            question.elsewhere = [Elsewhere(sql: sql, role: (right ?? Self.rights[0]).role, command: command)]
            return question
        }
    }

    /// Why an event does nothing to a run; nil: it moves it to another state.
    func pointless(_ event: RunEvent, _ standing: RunStanding) -> String? {
        switch standing.progress.state.on(event) {
        case .moves: nil
        case .stays(let because), .refused(let because):
            "\(standing.words) \(because.prefix(1).uppercased() + because.dropFirst())."
        }
    }

    /// One batch of a steering function.
    ///
    /// - Parameter done: what is true after the last one.
    func steer(
        _ steering: CampaignStore.Steering, _ database: Database, after mark: String?, done: String
    ) async throws(DatabaseError) -> ActionStep {
        let step = try await CampaignStore(database: database).steer(
            run.campaign, key: run.key, steering, after: mark)
        var remarks: [String] = []
        if step.next == nil {
            remarks.append(done)
            if step.onTheWire > 0 {
                remarks.append(
                    "\(HumanFormat.grouped(step.onTheWire)) on the wire could not be called back: they end as they would."
                )
            }
        }
        return ActionStep(
            changed: step.messages, next: step.next, remark: remarks.isEmpty ? nil : remarks.joined(separator: " "))
    }
}
