import Pages
import Store

/// `/`: what is wrong first, then hubs, runs and workers.
struct OverviewPage: ConsolePage {
    static let place: Place? = .overview
    static let rights: [Right] = [.look]

    /// Which hubs it lists.
    let hubs: HubSelection

    init?(path: [String], fields: FormFields) {
        guard path == Place.overview.path else { return nil }
        hubs = HubSelection(all: fields["all"] == "1", after: fields["after"])
    }

    func read(_ reader: PageReader) async -> OverviewRows { await OverviewReading(reader: reader).rows() }

    func content(of rows: OverviewRows, for visit: Visit) -> PageContent {
        PageContent(
            title: "Overview", template: "overview", view: OverviewView(rows, hubs, for: visit), liveSeconds: 2,
            troubles: Self.merged(rows.troubles), elsewhere: OverviewElsewhere.all(for: visit.person))
    }

    /// One for all parts that are missing for the same reason: a database that is away is said once.
    static func merged(_ troubles: [Trouble]) -> [Trouble] {
        var merged: [Trouble] = []
        for trouble in troubles.filter({ $0.kind == .away }) + troubles.filter({ $0.kind != .away }) {
            if let index = merged.firstIndex(where: { isSame($0, trouble) }) {
                merged[index].part += ", \(trouble.part)"
            } else {
                merged.append(trouble)
            }
        }
        return merged
    }

    /// Attempts to connect fail one after the other, with words of their own; a part whose attempt has no turn in time took too long.
    private static func isSame(_ one: Trouble, _ other: Trouble) -> Bool {
        let isSlow = other.kind == .away || other.kind == .tookTooLong
        return one.kind == other.kind && (isSlow || one.words == other.words) || one.kind == .away && isSlow
    }
}
