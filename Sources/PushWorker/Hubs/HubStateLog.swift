import Logging
import Store

/// Tells the log when the state of a hub changes: one line when it begins, one with `since_seconds` when it ends.
///
/// What this worker sees itself, `HubEffects` tells at once; what a person or another worker did, and the end of a wait,
/// show when the gates are read, twice a second.
struct HubStateLog: Sendable {
    let log: Logger

    private static let seenInGates: [HubConditions.Condition] = [.waiting, .failing, .held, .paused]

    /// Compares what the gate says now with what was told.
    ///
    /// - Parameter now: monotonic seconds.
    func look(at hub: HubContext, now: Double) {
        for condition in Self.seenInGates {
            if let why = hub.gate.read({ $0.reason(of: condition, now: now) }) {
                let seconds = hub.gate.opens(after: now)
                if began(condition, of: hub, because: why, now: now) { tell(condition, hub, why, seconds) }
            } else {
                ended(condition, of: hub, now: now)
            }
        }
    }

    /// Notes a beginning that the caller tells.
    ///
    /// - Returns: whether it is news.
    @discardableResult
    func began(_ condition: HubConditions.Condition, of hub: HubContext, because why: String, now: Double) -> Bool {
        hub.conditions.withLock { $0.began(condition, because: why, now: now) }
    }

    /// Tells an end, once.
    ///
    /// - Returns: whether it was one.
    @discardableResult
    func ended(_ condition: HubConditions.Condition, of hub: HubContext, now: Double) -> Bool {
        guard let over = hub.conditions.withLock({ $0.ended(condition, now: now) }) else { return false }
        var fields: Logger.Metadata = [
            "hub": "\(hub.settings.name)", "since_seconds": .stringConvertible(Self.rounded(over.seconds)),
        ]
        switch condition {
        case .waiting: log.notice("the hub need not be waited for any more", metadata: fields)
        case .failing: log.notice("posts get through to the hub again", metadata: fields)
        case .held:
            fields["was_held_because"] = "\(over.why)"
            log.notice("the hub takes posts again; it was held", metadata: fields)
        case .paused:
            fields["was_paused_by"] = "\(over.why)"
            log.notice("the hub is not paused any more", metadata: fields)
        case .slowed:
            if hub.rate > 0 { fields["posts_per_second"] = .stringConvertible(hub.rate) }  // else no limit
            log.notice("back at full speed", metadata: fields)
        }
        return true
    }

    /// What this worker did not see itself.
    private func tell(_ condition: HubConditions.Condition, _ hub: HubContext, _ why: String, _ opens: Double) {
        var fields: Logger.Metadata = ["hub": "\(hub.settings.name)", "why": "\(why)"]
        switch condition {
        case .waiting:
            if opens.isFinite { fields["seconds"] = .stringConvertible(Self.rounded(opens)) }
            log.warning("the hub asks all workers to wait", metadata: fields)
        case .failing: log.warning("another worker cannot get through to the hub; trying one post", metadata: fields)
        case .held: log.error("the hub is held; its messages wait", metadata: fields)
        case .paused:
            fields["paused_by"] = "\(why)"
            fields["why"] = hub.gate.read { $0.pauseReason }.map { "\($0)" }
            log.warning("the hub is paused; its messages wait", metadata: fields)
        case .slowed: break  // `HubEffects` and `GateReader` know the rate
        }
    }

    /// To milliseconds.
    private static func rounded(_ seconds: Double) -> Double { (seconds * 1_000).rounded() / 1_000 }
}
