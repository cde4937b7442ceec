import Providers
import PushModel
import Signing
import Store

/// What the hub's answer means for the changes that one request applied, and for the other devices of the hub. Pure.
///
/// Repeating a change is harmless, so nothing is ever in doubt: what may have arrived is sent again.
struct DeviceSettlement: Equatable {
    var status: DeviceOutcome.Status
    /// Seconds until the next try; nil: the status is final.
    var delay: Double?
    /// Attempts that it cost.
    var cost: Int16 = 0
    var note: String?
    var effect = Effect.none

    /// What it means for the other devices of the hub. None of it touches the hub's messages: what a key may send and what
    /// it may register are different rights, and the service limits their rates apart.
    enum Effect: Equatable {
        case none
        /// The hub took it, or read it and refused its content.
        case works
        /// No change is applied for this many seconds.
        case close(seconds: Double, because: String)
        /// The request failed. If the others fail too, they wait.
        case failed(because: String)
        /// The hub refused our token.
        case signAgain
    }

    /// What else has to be known.
    struct Facts {
        /// Attempts before this one.
        var attempt: Int16
        var action: DeviceChange.Action
        /// Whether the hub took changes of other devices meanwhile: then the failure is due to this one.
        var othersSucceed: Bool
        /// Whether the hub has taken messages with this token: then it is a right that we lack, and not a wrong key.
        var isTokenTaken: Bool
        /// 0 to 1.
        var random: Double
    }

    init(_ answer: InstallationAnswer, _ facts: Facts, _ settings: DispatchSettings) {
        switch answer.verdict {
        case .accepted:
            self.init(status: .applied, effect: .works)
        case _ where answer.isMissing && facts.action == .drop:
            self.init(status: .applied, note: "The hub had no such installation.", effect: .works)
        case _ where answer.isMissing:
            self.init(status: .refused, note: "no such installation", effect: .works)
        case .targetGone(_, let why), .targetInvalid(let why), .tooLarge(let why), .rejected(let why):
            self.init(status: .refused, note: why, effect: .works)
        case .throttled(let wait, _, let why):
            self.init(status: .retrying, delay: wait, note: why, effect: .close(seconds: wait, because: why))
        case .authExpired(let why) where facts.isTokenTaken:
            let cause = "\(why). The hub takes messages with this key: to register devices it needs the right Listen."
            self.init(refused: cause, facts, settings)
        case .authExpired(let why):
            self.init(status: .retrying, delay: 1, note: why, effect: .signAgain)
        case .authFailed(let why), .hubNotFound(let why), .quotaExceeded(let why):
            self.init(refused: why, facts, settings)
        case .unavailable(let after, let why):
            self.init(failed: why, after: after ?? 0, facts, settings)
        case .notSent(let why), .unknown(let why):
            self.init(failed: why, after: 0, facts, settings)
        }
    }

    /// A change that no request can be made of.
    init(unsendable why: String) { self.init(status: .refused, note: why, effect: .none) }

    /// There is no pass yet to send it with.
    init(withoutPass trouble: PassTrouble?) {
        self.init(status: .retrying, delay: 1, note: trouble?.reason ?? "no pass for the hub yet", effect: .none)
    }

    /// A refusal of the sender. Beside others that the hub takes it is this device's own and costs an attempt.
    private init(refused why: String, _ facts: Facts, _ settings: DispatchSettings) {
        if facts.othersSucceed {
            self.init(again: why, after: 0, cost: 1, facts, settings, effect: .none)
        } else {
            self.init(
                status: .retrying, delay: settings.probeSeconds, note: why,
                effect: .close(seconds: settings.probeSeconds, because: why))
        }
    }

    private init(failed why: String, after: Double, _ facts: Facts, _ settings: DispatchSettings) {
        self.init(
            again: why, after: after, cost: facts.othersSucceed ? 1 : 0, facts, settings, effect: .failed(because: why))
    }

    private init(
        again why: String, after: Double, cost: Int16, _ facts: Facts, _ settings: DispatchSettings, effect: Effect
    ) {
        let made = facts.attempt + cost
        if cost > 0, made >= settings.attempts {
            self.init(
                status: .refused, cost: cost, note: "\(made) attempts while others succeeded; last: \(why)",
                effect: effect)
        } else {
            let delay = settings.backoff.delay(attempt: max(1, Int(made)), random: facts.random)
            self.init(status: .retrying, delay: after + delay, cost: cost, note: why, effect: effect)
        }
    }

    private init(
        status: DeviceOutcome.Status, delay: Double? = nil, cost: Int16 = 0, note: String? = nil, effect: Effect
    ) {
        self.status = status
        self.delay = delay
        self.cost = cost
        self.note = note
        self.effect = effect
    }
}
