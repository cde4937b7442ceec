import Pages
import PushModel
import Store

/// Results of the last hour: by status, by reason, and of each minute. Pure.
struct HubResultsView {
    struct StatusCount {
        let countStatus: String
        let countLook: String
        let countResults: String
    }

    struct ReasonCount {
        let reasonStatus: String
        let reasonLook: String
        let reasonName: String
        let reasonClass: String
        let reasonResults: String
    }

    struct Minute {
        let minuteMoment: MomentView
        let minuteSent: String
        let minuteFailed: String
        let minuteDoubts: String
        let minuteRetries: String
    }

    let hasResults: Bool
    let statusCounts: [StatusCount]
    let reasonCounts: [ReasonCount]
    /// The newest first; minutes without a result are left out.
    let minutes: [Minute]

    init(_ results: [MinuteResults]) {
        func sum(_ results: [MinuteResults]) -> Int64 { results.reduce(0) { $0 + $1.results } }
        func sum(_ results: [MinuteResults], _ statuses: String...) -> String {
            HumanFormat.grouped(sum(results.filter { statuses.contains($0.status) }))
        }
        hasResults = !results.isEmpty
        statusCounts = Dictionary(grouping: results, by: \.status)
            .map { (status: $0.key, count: sum($0.value)) }
            .sorted { ($1.count, $0.status) < ($0.count, $1.status) }
            .map {
                StatusCount(
                    countStatus: $0.status, countLook: StatusLook.of($0.status).rawValue,
                    countResults: HumanFormat.grouped($0.count))
            }
        reasonCounts = Dictionary(grouping: results) { [$0.status, $0.reason, $0.reasonClass] }
            .map { (names: $0.key, count: sum($0.value)) }
            .sorted { ($1.count, $0.names.joined(separator: " ")) < ($0.count, $1.names.joined(separator: " ")) }
            .map {
                ReasonCount(
                    reasonStatus: $0.names[0], reasonLook: StatusLook.of($0.names[0]).rawValue, reasonName: $0.names[1],
                    reasonClass: $0.names[2], reasonResults: HumanFormat.grouped($0.count))
            }
        minutes = Dictionary(grouping: results, by: \.minute).sorted { $0.key > $1.key }.map { minute, results in
            Minute(
                minuteMoment: MomentView(minute.secondsSince1970), minuteSent: sum(results, "accepted"),
                minuteFailed: sum(results, "rejected", "expired"), minuteDoubts: sum(results, "in_doubt"),
                minuteRetries: sum(results, "retrying"))
        }
    }
}
