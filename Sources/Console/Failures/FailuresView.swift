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
        /// Who must act; empty: nobody has to.
        let groupClass: String
        let groupCampaign: String
        let groupNote: String
        let groupFirst: String
        let groupLast: String
        let exampleID: String
        let exampleAddress: String
        let allAddress: String
    }

    struct Section {
        let sectionName: String
        let sectionPart: String
        let groups: [Group]
        let hasGroups: Bool
        /// Of what it counts.
        let sectionWords: String
    }

    let sections: [Section]

    init(_ rows: FailuresPage.Rows, for visit: Visit) {
        sections = [
            rows.doubts.value.map { Self.section("In doubt", "doubts", $0, none: "Nothing is in doubt.", visit) },
            rows.failures.value.map {
                Self.section("Rejected and expired", "failures", $0, none: "Nothing failed for good.", visit)
            },
        ].compactMap(\.self)
    }

    private static func section(
        _ name: String, _ part: String, _ found: FailureGroups, none: String, _ visit: Visit
    ) -> Section {
        Section(
            sectionName: name, sectionPart: part, groups: found.groups.map { group($0, visit) },
            hasGroups: !found.groups.isEmpty,
            sectionWords: found.groups.isEmpty && !found.more ? none : words(found))
    }

    /// `Of the newest 10,000 results, back to …; there are more.`
    static func words(_ found: FailureGroups) -> String {
        let back = found.lookedBackTo.map { ", back to \($0)" } ?? ""
        let looked = HumanFormat.grouped(found.looked)
        return found.more
            ? "Of the newest \(looked) results\(back). There are more."
            : "Of all \(looked) results\(back)."
    }

    private static func group(_ group: FailureGroups.Group, _ visit: Visit) -> Group {
        Group(
            groupCount: HumanFormat.grouped(group.messages), groupHub: group.hub,
            hubAddress: visit.address("hubs", group.hub), groupStatus: group.status,
            groupLook: StatusLook.of(group.status).rawValue, groupReason: group.reason, groupClass: group.class ?? "",
            groupCampaign: group.campaign ?? "", groupNote: group.note ?? "", groupFirst: group.first,
            groupLast: group.last, exampleID: "\(group.example)",
            exampleAddress: visit.address("messages", "\(group.example)"),
            allAddress: visit.address(
                "messages",
                fields: [
                    ("hub", group.hub), ("status", group.status), ("reason", group.reason),
                    ("campaign", group.campaign),
                ]))
    }
}
