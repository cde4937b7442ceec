/// What happened to runs that a person steered, and which promises were broken.
public struct SteeringReport: Sendable {
    let options: SteeringRun.Options
    let breaches: [Breach<SteeringPromise>]
    public internal(set) var directory = ""
    /// Runs by how they ended.
    let runs: [String: Int]
    /// Messages by status.
    let states: [String: Int]
    let taken: Int
    /// What the person did; with what came of it where it was not done.
    let actions: [String: Int]
    let injections: [String: Int]
    /// In which no post of a run may arrive, over all runs.
    let silentSeconds: Double
    /// At the numbers.
    var looks = 0
    /// From the last fault until everything was over.
    var restSeconds = 0.0
    /// What the run itself met: workers that ended by themselves, faults and actions that failed.
    var troubles: [String] = []

    init(
        options: SteeringRun.Options, facts: SteeringFacts, breaches: [Breach<SteeringPromise>],
        actions: [String: Int], injections: [InjectedFault.Kind]
    ) {
        (self.options, self.breaches, self.actions) = (options, breaches, actions)
        runs = Dictionary(grouping: facts.runs) { $0.state?.rawValue ?? "missing" }.mapValues(\.count)
        states = Dictionary(grouping: facts.recipients.values.lazy.filter { $0.messages > 0 }) { recipient in
            recipient.status.isEmpty ? "without a result" : recipient.status
        }.mapValues(\.count)
        taken = facts.recipients.values.count { $0.taken > 0 }
        self.injections = Dictionary(grouping: injections, by: \.rawValue).mapValues(\.count)
        silentSeconds = facts.runs.flatMap(\.quiet).reduce(0) { $0 + $1.upperBound - $1.lowerBound }
    }

    /// No promise was broken and the run went as it should.
    public var isGood: Bool { troubles.isEmpty && breaches.isEmpty }

    /// For people.
    public var text: String {
        func lines(_ counts: [String: Int]) -> [String] {
            counts.sorted { $0.key < $1.key }.map { Report.line($0.key, $0.value) }
        }
        var text = [
            "Seed \(options.seed), \(Int(options.seconds)) s, runs to \(options.recipients) recipients on two hubs, \(options.workers) workers",
            "", "Injuries",
        ]
        text += lines(injections) + ["", "The owner"] + lines(actions) + ["", "Runs"] + lines(runs)
        text += ["", "Messages"] + lines(states)
        text += [
            Report.line("taken by the hubs", taken), "",
            "For \(Report.seconds(silentSeconds)), over all runs, nothing of a paused or cancelled one might be heard.",
            "\(looks) looks compared the numbers shown with the tables.",
            "Everything was over \(Report.seconds(restSeconds)) after the last fault.",
        ]
        text += troubles.isEmpty ? [] : ["", "Trouble"] + troubles.map { "  \($0)" }
        text += ["", "Promises"] + Breach.lines(breaches)
        return text.joined(separator: "\n")
    }

    /// For programs.
    public var json: String {
        get throws {
            let form = Form(
                seed: "\(options.seed)", seconds: options.seconds, recipients: options.recipients,
                workers: options.workers, injections: injections, actions: actions, runs: runs, messages: states,
                taken: taken, silentSeconds: silentSeconds, looks: looks, restSeconds: restSeconds, troubles: troubles,
                violations: breaches.map(\.form),
                good: isGood)
            return try form.report
        }
    }

    private struct Form: Encodable {
        /// A string: many JSON readers lose digits of a 64-bit number.
        var seed: String
        var seconds: Double
        var recipients: Int
        var workers: Int
        var injections: [String: Int]
        var actions: [String: Int]
        var runs: [String: Int]
        var messages: [String: Int]
        var taken: Int
        var silentSeconds: Double
        var looks: Int
        var restSeconds: Double
        var troubles: [String]
        var violations: [Breach<SteeringPromise>.Form]
        var good: Bool
    }
}
