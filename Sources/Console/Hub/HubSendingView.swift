import PushModel
import Store

/// With what and how fast it is sent to.
struct HubSendingView {
    let sendingKey: String
    let sendingKeySince: SinceView?
    let sendingKeyReason: String?
    let sendingToken: UntilView?
    let sendingSkew: String
    let sendingWindow: String
    let sendingAnswers: String
    let sendingRate: String
    let sendingSpeed: String?
    let sendingSpeedWhy: String?
    let sendingSlowed: SinceView?

    init(_ health: HubHealth, at now: Double) {
        sendingKey = health.key
        sendingKeySince = health.keySince.flatMap { SinceView($0, at: now) }
        sendingKeyReason = health.keyReason
        sendingToken = health.tokenExpiresAt.flatMap { UntilView($0, at: now) }
        sendingSkew = ClockSkew.words(health.skewSeconds)
        if let inFlight = health.inFlight, let window = health.window {
            sendingWindow = "\(HumanFormat.grouped(inFlight)) of \(HumanFormat.grouped(window)) posts in flight"
        } else {
            sendingWindow = "no worker serves it"
        }
        sendingAnswers = health.answersPerSecond.map { "\(HumanFormat.rate($0)) a second of late" } ?? "none"
        let source = health.isRateSet ? "set by a person" : "as configured"
        sendingRate =
            health.rate.map { "at most \(HumanFormat.rate($0)) posts a second, \(source)" } ?? "no limit, \(source)"
        let isSlowed = health.speedWhy != nil
        sendingSpeed = isSlowed ? health.speed.map { "\(HumanFormat.rate($0)) posts a second, growing" } : nil
        sendingSpeedWhy = health.speedWhy
        sendingSlowed = health.slowedAt.flatMap { SinceView($0, at: now) }
    }
}
