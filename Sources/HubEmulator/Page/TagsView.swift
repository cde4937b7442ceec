import Pages

/// The values for the page that answers "whom would this expression reach?".
struct TagsView: Sendable {
    let hubOptions: [OptionView]
    let formatOptions: [OptionView]
    let formTags: String?
    let hasAnswer: Bool
    /// Why it is not a tag expression.
    let formProblem: String?
    let reachCount: String
    let reachTotal: String
    let reachLabel: String
    let reached: [ReachedView]
    let reachedMore: String?
    let missed: [SendReportView.MissedView]
    let missedMore: String?
    let unknownTags: [UnknownTagView]
    let sendLink: String?

    struct ReachedView: Sendable {
        let reachedDevice: String
        let reachedLink: String
        let reachedNote: String
    }

    struct UnknownTagView: Sendable {
        let unknownTag: String
        let similarTag: String?
    }

    /// - Parameter hub: nil: the first one.
    init(_ source: PageSource, _ hub: Hub?, _ fields: FormFields) {
        let hubs = source.deviceFinder.hubs
        let format = fields["format"] ?? SendFormat.template.rawValue
        hubOptions = OptionView.all(hubs.map(\.name), chosen: hub?.name)
        formatOptions = OptionView.all(SendFormat.allCases.map(\.rawValue), chosen: format)
        formTags = fields["tags"]
        var reach: Reach?
        var problem: String?
        let hub = hub ?? hubs.first
        if let hub, let tags = fields["tags"] {
            do throws(EmulatorError) {
                reach = try ReportRoutes.reach(hub, tags: tags, format: format)
            } catch {
                problem = error.description
            }
        }
        formProblem = problem
        hasAnswer = reach != nil
        reachCount = (reach?.count ?? 0).grouped
        reachTotal = (reach?.devices ?? 0).grouped
        reachLabel = reach?.devices == 1 ? "device gets it" : "devices get it"
        let name = hub?.name ?? ""
        reached = (reach?.reached ?? []).map {
            ReachedView(
                reachedDevice: $0.device, reachedLink: SendReportView.link($0.device, hub: name),
                reachedNote: ([$0.platform.rawValue] + $0.templates.map { "template \($0)" }).joined(separator: " · "))
        }
        missed = (reach?.missed ?? []).map {
            SendReportView.MissedView(
                missedDevice: $0.device, missedLink: SendReportView.link($0.device, hub: name),
                missedReason: $0.reason)
        }
        reachedMore = Self.more((reach?.count ?? 0) - reached.count)
        missedMore = Self.more((reach?.devices ?? 0) - (reach?.count ?? 0) - missed.count)
        unknownTags = (reach?.unknownTags ?? []).map { UnknownTagView(unknownTag: $0.tag, similarTag: $0.similar) }
        sendLink =
            reach == nil
            ? nil
            : "/_emulator/page/send?hub=\(name.urlEncoded)&tags=\((fields["tags"] ?? "").urlEncoded)"
                + "&format=\(format.urlEncoded)"
    }

    static func more(_ number: Int) -> String? { number > 0 ? "\(number.grouped) more" : nil }
}
