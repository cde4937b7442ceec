import Store

/// Which hubs a page lists: the worst of them, or all by name, page by page.
struct HubSelection: Sendable, Equatable {
    /// By name, all of them.
    var all = false
    /// Only those behind this name; nil: from the first on.
    var after: String?

    /// The worst hubs that are shown, at most.
    static let worst = 50
    /// Hubs on a page of all.
    static let page = 200

    /// What a page shows of the hubs.
    struct Shown: Sendable, Equatable {
        var hubs: [SystemStatus.Hub]
        /// Those that are left out and well.
        var wellOmitted = 0
        /// Those that are left out and are not well.
        var badOmitted = 0
        /// The next page begins behind this name; nil: it is the last one.
        var next: String?
    }

    /// - Parameters:
    ///   - hubs: by name.
    ///   - severities: the worst problem of each hub that has one.
    func shown(of hubs: [SystemStatus.Hub], _ severities: [String: Problem.Severity]) -> Shown {
        if all {
            let behind = hubs.filter { hub in after.map { hub.hub > $0 } ?? true }
            let page = Array(behind.prefix(Self.page))
            return Shown(hubs: page, next: behind.count > page.count ? page.last?.hub : nil)
        }
        guard hubs.count > Self.worst else { return Shown(hubs: sorted(hubs, severities)) }
        let sorted = sorted(hubs, severities)
        let omitted = sorted.dropFirst(Self.worst)
        let well = omitted.count { severities[$0.hub] == nil && $0.state == "open" }
        return Shown(
            hubs: Array(sorted.prefix(Self.worst)), wellOmitted: well, badOmitted: omitted.count - well)
    }

    /// The worst first. By name among those that are alike, so that a row keeps its place.
    private func sorted(
        _ hubs: [SystemStatus.Hub], _ severities: [String: Problem.Severity]
    ) -> [SystemStatus.Hub] {
        func rank(_ hub: SystemStatus.Hub) -> Int {
            if let severity = severities[hub.hub] { return severity.rawValue }
            return Problem.Severity.allCases.count + (hub.state == "open" ? (hub.due > 0 ? 1 : 2) : 0)
        }
        return hubs.map { (rank($0), $0) }.sorted { ($0.0, $0.1.hub) < ($1.0, $1.1.hub) }.map(\.1)
    }
}
