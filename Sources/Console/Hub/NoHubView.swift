import PushModel

/// An address of a hub that is not registered: the template `no-hub`.
struct NoHubView {
    struct Known {
        let knownName: String
        let knownAddress: String
    }

    let soughtHub: String
    /// nil: no name is near.
    let nearestHub: Known?
    let knownHubs: [Known]
    let hasHubs: Bool
    /// nil: all are listed.
    let omittedHubs: String?

    /// Hubs that are listed at most.
    static let limit = 50

    init(_ name: String, among names: [String], for visit: Visit) {
        func known(_ name: String) -> Known { Known(knownName: name, knownAddress: visit.address("hubs", name)) }
        soughtHub = name.quoted
        nearestHub = DidYouMean.nearest(to: name, in: names).map(known)
        knownHubs = names.prefix(Self.limit).map(known)
        hasHubs = !names.isEmpty
        omittedHubs = names.count > Self.limit ? HumanFormat.grouped(names.count - Self.limit) : nil
    }
}
