import Logging
import Store

/// Logs when the state of a hub changes: one line when it begins, one with `since_seconds` when it ends.
///
/// What this worker sees itself, `HubEffects` reports at once; what a person or another worker did, and the end of a wait,
/// show when the gates are read, twice a second.
struct HubStateLog: Sendable {
    let log: Logger

    private static let seenInGates: [HubConditions.Condition] = [.waiting, .failing, .held, .paused, .withoutPass]

    /// Compares what the gate says now with what was logged.
    ///
    /// - Parameter now: monotonic seconds.
    func look(at hub: HubContext, now: Double) {
        for condition in Self.seenInGates {
            if let why = hub.gate.read({ $0.reason(of: condition, now: now) }) {
                if began(condition, of: hub, because: why, now: now) {
                    write(condition, hub, why, seconds: hub.gate.opens(after: now), isOurs: false)
                }
            } else {
                ended(condition, of: hub, now: now)
            }
        }
    }

    /// Records and logs a beginning that this worker caused itself.
    ///
    /// - Parameter seconds: until the hub is tried again.
    func report(
        _ condition: HubConditions.Condition, of hub: HubContext, because why: String, now: Double, seconds: Double
    ) {
        began(condition, of: hub, because: why, now: now)
        write(condition, hub, why, seconds: seconds, isOurs: true)
    }

    /// Records a beginning that the caller logs.
    ///
    /// - Returns: whether it is news.
    @discardableResult
    func began(_ condition: HubConditions.Condition, of hub: HubContext, because why: String, now: Double) -> Bool {
        hub.conditions.withLock { $0.began(condition, because: why, now: now) }
    }

    /// Logs an end, once.
    ///
    /// - Returns: whether it was one.
    @discardableResult
    func ended(_ condition: HubConditions.Condition, of hub: HubContext, now: Double) -> Bool {
        guard let over = hub.conditions.withLock({ $0.ended(condition, now: now) }) else { return false }
        var fields: Logger.Metadata = [
            "hub": "\(hub.settings.name)", "since_seconds": .stringConvertible(Self.rounded(over.seconds)),
        ]
        switch condition {
        case .waiting: log.notice("the wait for the hub is over", metadata: fields)
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
        case .withoutPass: log.notice("there is a pass for the hub again", metadata: fields)
        case .substituted: log.notice("the credential in use is not refused any more", metadata: fields)
        }
        return true
    }

    /// - Parameters:
    ///   - seconds: until the hub is tried again; infinity: unknown.
    ///   - isOurs: whether this worker saw it itself; false: it was read from the database.
    private func write(
        _ condition: HubConditions.Condition, _ hub: HubContext, _ why: String, seconds: Double, isOurs: Bool
    ) {
        var fields: Logger.Metadata = ["hub": "\(hub.settings.name)", "why": "\(why)"]
        switch condition {
        case .waiting:
            if seconds.isFinite { fields["seconds"] = .stringConvertible(Self.rounded(seconds)) }
            log.warning("the hub asks all workers to wait", metadata: fields)
        case .failing where isOurs:
            fields["seconds"] = .stringConvertible(seconds)
            log.warning("nothing gets through to the hub; waiting, then trying one post", metadata: fields)
        case .failing: log.warning("another worker cannot get through to the hub; trying one post", metadata: fields)
        case .held:
            if isOurs { fields["next_try_seconds"] = .stringConvertible(seconds) }
            log.error("the hub is held; its messages wait", metadata: fields)
        case .paused:
            fields["paused_by"] = "\(why)"
            fields["why"] = hub.gate.read { $0.pauseReason }.map { "\($0)" }
            log.warning("the hub is paused; its messages wait", metadata: fields)
        case .withoutPass: log.warning("no pass for the hub yet; its messages wait", metadata: fields)
        case .slowed, .substituted: break  // `HubEffects` and `GateReader` log these
        }
    }

    /// To milliseconds.
    private static func rounded(_ seconds: Double) -> Double { (seconds * 1_000).rounded() / 1_000 }
}
