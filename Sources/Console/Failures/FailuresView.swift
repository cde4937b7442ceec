import Pages
import PushModel
import Store

/// What `/failures` shows: the template `failures`.
struct FailuresView {
    struct Group {
        let groupCount: String
        let groupHub: String
        let hubAddress: String
        let groupStatus: String
        let groupLook: String
        let groupReason: String
        /// Who must act; nil: nobody has to.
        let groupClass: String?
        let groupCampaign: String
        let groupNote: String?
        let groupFirst: String
        let groupLast: String
        let exampleID: String
        let exampleAddress: String
        let allAddress: String
        /// nil: the person may not act, or nobody may here.
        let groupActions: GroupActionsView?
    }

    struct Section {
        let sectionName: String
        let sectionPart: String
        let groups: [Group]
        let hasGroups: Bool
        let hasActions: Bool
        /// Of what it counts.
        let sectionWords: SentenceView
        /// `all 212 groups`; nil: all are shown.
        let sectionMore: String?
        let sectionAll: String
    }

    /// Groups of one section; the smaller ones come where somebody asks for all.
    static let most = 50

    let sections: [Section]
    /// The hub whose groups alone are shown; nil: those of all are.
    let onlyHub: String?
    let allHubsAddress: String

    /// - Parameters:
    ///   - hub: nil: groups of all hubs.
    ///   - isWhole: whether the smaller groups are shown, too.
    init(_ rows: FailuresPage.Rows, of hub: String? = nil, whole isWhole: Bool = false, for visit: Visit) {
        onlyHub = hub
        allHubsAddress = visit.address("failures")
        sections = [
            rows.doubts.value.map {
                Self.section("In doubt", "doubts", $0, hub, isWhole, none: "Nothing is in doubt.", visit)
            },
            rows.failures.value.map {
                Self.section(
                    "Rejected and expired", "failures", $0, hub, isWhole, none: "Nothing failed for good.", visit)
            },
        ].compactMap(\.self)
    }

    private static func section(
        _ name: String, _ part: String, _ found: FailureGroups, _ hub: String?, _ isWhole: Bool, none: String,
        _ visit: Visit
    ) -> Section {
        let groups = found.groups.filter { hub == nil || $0.hub == hub }
        let shown = groups.prefix(isWhole ? groups.count : most)
        let words =
            found.groups.isEmpty && !found.more
            ? none : words(found) + (shown.isEmpty ? " None of them is of this hub." : "")
        return Section(
            sectionName: name, sectionPart: part, groups: shown.map { group($0, visit) },
            hasGroups: !shown.isEmpty, hasActions: visit.canAct(.operate), sectionWords: SentenceView(words),
            sectionMore: shown.count < groups.count ? "all \(HumanFormat.grouped(groups.count)) groups" : nil,
            sectionAll: visit.address("failures", fields: [("hub", hub), ("all", "1")]))
    }

    /// `Of the newest 10,000 results, back to …; there are more.`
    static func words(_ found: FailureGroups) -> String {
        let back = found.lookedBackTo.map { ", back to \($0)" } ?? ""
        let looked = HumanFormat.grouped(found.looked)
        if found.more { return "Of the newest \(looked) results\(back). There are more." }
        return found.looked == 1 ? "Of the one result there is\(back)." : "Of all \(looked) results\(back)."
    }

    private static func group(_ group: FailureGroups.Group, _ visit: Visit) -> Group {
        Group(
            groupCount: HumanFormat.grouped(group.messages), groupHub: group.hub,
            hubAddress: visit.address("hubs", group.hub), groupStatus: group.status,
            groupLook: StatusLook.of(group.status).rawValue, groupReason: group.reason, groupClass: group.class,
            groupCampaign: group.campaign ?? "", groupNote: group.note, groupFirst: group.first,
            groupLast: group.last, exampleID: "\(group.example)",
            exampleAddress: visit.address("messages", "\(group.example)"),
            allAddress: visit.address(
                "messages",
                fields: [
                    ("hub", group.hub), ("status", group.status), ("reason", group.reason),
                    ("campaign", group.campaign),
                ]), groupActions: GroupActionsView(group, for: visit))
    }
}
