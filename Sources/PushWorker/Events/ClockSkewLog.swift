import Logging

/// Compares our clock with a hub's, once a minute and when it refused a token: a wrong clock signs tokens that are refused.
struct ClockSkewLog: Sendable {
    let log: Logger

    func hear(_ event: LaneEvent) {
        guard case .replied(let replies, let hub, let isSuspect, let now) = event,
            hub.clockSkew.isDue(now: now) || isSuspect,
            let seconds = replies.lazy.compactMap(hub.provider.skew).first
        else { return }
        hub.clockSkew.measured(seconds, now: now)
        guard abs(seconds) > ClockSkew.tolerated else { return }
        log.warning(
            "our clock and the hub's differ; set this machine's clock by NTP",
            metadata: ["hub": "\(hub.settings.name)", "ahead_seconds": .stringConvertible(Int(seconds))])
    }
}
