import PushModel

/// Fields of the form of a campaign that belong together.
struct WriteGroupView {
    /// Where a problem of a member stands that no single field is for.
    struct Spot {
        let spotName: String
        let spotProblem: String?
    }

    struct Box {
        let boxName: String
        let isTicked: Bool
    }

    /// A member that the form shows as JSON only.
    struct Kept {
        let keptName: String
        let keptJSON: String
        let keptWords: String
    }

    let groupTitle: String
    let spots: [Spot]
    let hasHubs: Bool
    let boxes: [Box]
    /// Of the field for names that have no box.
    let hubsLabel: String
    let groupFields: [WriteFieldView]
    /// Of the audience: how many devices its tags have, as they were counted.
    let hasReach: Bool
    let reachWords: [String]
    let hasLanguages: Bool
    let groupLanguages: [WriteLanguageView]
    let hasHeaders: Bool
    let headerRows: [WriteLanguageView.RowView]
    let keptMembers: [Kept]

    private static let all: [(title: String, members: [String])] = [
        ("Hubs", ["hubs"]), ("Audience", ["audience"]), ("Texts", ["format", "fallback", "content", "headers"]),
        ("Pace", ["rate", "spread", "ramp", "priority", "pack", "onDoubt"]),
        ("Times", ["expires", "maxDuration", "local", "schedule"]),
        ("Safety", ["canary", "stopWhen", "window", "cap", "approval"]),
    ]

    /// - Parameters:
    ///   - problems: by their places.
    ///   - now: seconds since 1970.
    static func all(
        _ state: WriteState, problems: [SpecProblem.Place: String], at now: Double
    ) -> [WriteGroupView] {
        let unknown = state.form.kept.map(\.name).filter { !CampaignForm.members.contains($0) }
        return (all + (unknown.isEmpty ? [] : [("Members that the form does not know", unknown)])).map {
            WriteGroupView($0.title, $0.members, state, problems, at: now)
        }
    }

    private init(
        _ title: String, _ members: [String], _ state: WriteState, _ problems: [SpecProblem.Place: String],
        at now: Double
    ) {
        let form = state.form
        let shown = members.filter { form.kept($0) == nil }
        groupTitle = title
        spots = members.map { Spot(spotName: "member-" + $0, spotProblem: problems[.member($0)]) }
        hasHubs = shown.contains("hubs")
        boxes = hasHubs ? Self.boxes(form.hubs, among: state.choices.hubs?.value ?? []) : []
        hubsLabel = boxes.isEmpty ? "Hubs" : "Other hubs"
        groupFields = shown.flatMap(CampaignField.all).map { field in
            WriteFieldView(
                field, text: form.fields[field] ?? "", problem: problems[.field(field)],
                known: Self.known(field, state.choices))
        }
        hasReach = members.contains("audience")
        reachWords = hasReach ? ReachWords.lines(state.look?.hubs ?? [], at: now) : []
        hasLanguages = shown.contains("content")
        groupLanguages = hasLanguages ? WriteLanguageView.all(form, spare: state.post.spare, problems) : []
        hasHeaders = shown.contains("headers")
        headerRows =
            hasHeaders ? WriteLanguageView.rows(form.headers, spare: WritePost.leastSpare, of: "Header") : []
        keptMembers = members.compactMap { form.kept($0) }.map(Self.kept)
    }

    /// Those of the spec come first, in its order.
    private static func boxes(_ hubs: [String], among known: [String]) -> [Box] {
        hubs.map { Box(boxName: $0, isTicked: true) }
            + known.filter { !hubs.contains($0) }.map { Box(boxName: $0, isTicked: false) }
    }

    private static func known(_ field: CampaignField, _ choices: WriteChoices) -> [String] {
        switch field {
        case .list, .handles: choices.lists.value ?? []
        case .view: choices.views.value?.map(\.name) ?? []
        default: []
        }
    }

    private static func kept(_ member: CampaignForm.Kept) -> Kept {
        // It was JSON when it was kept.
        let json = (try? SpecText(member.json)).map { $0.pretty($0.root) } ?? member.json
        let words =
            switch member.name {
            case "schedule": "It is set on the campaign's page."
            case let name where CampaignForm.members.contains(name):
                "The fields cannot show it like this, so it stays as it is. It can be edited as JSON."
            default: "It stays as it is, and can be edited as JSON."
            }
        return Kept(keptName: member.name, keptJSON: json, keptWords: words)
    }
}
