import Pages
import PushModel
import Store

/// The time zones of a run that reaches everybody on their own clocks. Pure.
struct RunZonesView {
    struct Zone {
        let zoneName: String
        let zoneStandsIn: Bool
        let zoneState: String
        let zoneLook: String
        let zoneOpens: MomentView?
        let zoneMade: String
    }

    let zones: [Zone]
    let zonesWords: String

    /// More are counted only.
    static let most = 200

    /// - Returns: nil: the run is not local.
    init?(_ zones: [RunZone], at now: Double) {
        guard !zones.isEmpty else { return nil }
        self.zones = zones.prefix(Self.most).map { zone in
            let opens = zone.opens.secondsSince1970
            let (state, look): (String, StateLook) =
                zone.isExpanded ? ("made", .good) : opens > now ? ("opens later", .waits) : ("open", .good)
            return Zone(
                zoneName: zone.zone, zoneStandsIn: zone.standsIn, zoneState: state, zoneLook: look.rawValue,
                zoneOpens: opens.isFinite ? MomentView(opens) : nil, zoneMade: HumanFormat.grouped(zone.expanded))
        }
        let made = zones.count { $0.isExpanded }
        let left = zones.count - self.zones.count
        zonesWords =
            "\(HumanFormat.grouped(made)) of \(HumanFormat.count(zones.count, "time zone")) are made."
            + (left > 0 ? " \(left) more are not listed." : "")
    }
}
