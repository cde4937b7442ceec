import PushModel
import Store

/// What `fanfare campaign check` says of the requests that the first recipients become, and of what phones get. Pure.
struct PlanCheck {
    let findings: [CampaignStore.Finding]

    /// - Parameters:
    ///   - campaign: its name.
    ///   - revision: nil: the newest.
    ///   - templates: that devices of the hub are known to have.
    init(
        _ sample: CampaignStore.Sample, of campaign: String, revision: Int32?, templates: [PreviewTemplate]
    ) {
        var book = PlanBook(asOf: 0, wanted: PlanBook.Wanted())
        var devices = KnownDevices()
        devices.templates = templates
        book.add(sample.plan(), batch: 1000, devices, tags: [])
        let tally = book.hubs[0].tally
        let about = "hub \(sample.hub.name)"
        let command = "fanfare plan --campaign \(campaign)" + (revision.map { " --revision \($0)" } ?? "")
        findings = Self.posts(tally, about, command) + Self.phones(tally, about)
    }

    private static func posts(_ tally: PlanTally, _ about: String, _ command: String) -> [CampaignStore.Finding] {
        guard tally.posts > 0 else { return [] }
        let reasons = tally.apart.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let apart = reasons.map { "\($0.key.label) \(HumanFormat.grouped($0.value))" }.joined(separator: ", ")
        let rows = "\(HumanFormat.grouped(tally.planned)) message\(tally.planned == 1 ? "" : "s")"
        let posts = "\(HumanFormat.grouped(tally.posts)) post\(tally.posts == 1 ? "" : "s")"
        let why = tally.posts > 1 ? reasons.first.map { "\($0.key.sentence) " } ?? "" : ""
        return [
            .init(
                "info", about, "\(rows) in \(posts)" + (tally.posts > 1 ? ", apart by \(apart)" : ""),
                hint: "\(why)\(command) shows more.")
        ]
    }

    /// What is too large, lint says with the longest values.
    private static func phones(_ tally: PlanTally, _ about: String) -> [CampaignStore.Finding] {
        if tally.phones.largest.isEmpty { return [] }
        let sizes = tally.phones.largest.map(\.text).joined(separator: ", ")
        return [.init("info", about, "on phones: \(sizes)", hint: nil)]
    }
}
