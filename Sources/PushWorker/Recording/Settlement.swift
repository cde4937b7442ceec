import PushModel
import Store

/// What an answer means for the messages of its post, and for all other posts to that hub. Pure: verdicts in, decisions out
/// (docs/reliability.md, "When").
struct Settlement: Equatable {
    var outcome: MessageOutcome
    var effect: Effect

    /// Whether a post of several contents leaves again in parts: perhaps only one of them is at fault.
    var mayBeSplit = false

    /// What it means for the whole hub.
    enum Effect: Equatable {
        /// The hub took the post: ends a hold, closes the breaker, confirms the key, and shows that refusals of others are
        /// their own.
        case takes
        /// The hub read the post and refused its content: ends a hold, closes the breaker, confirms the key.
        case works
        /// The hub refused this message for itself: it takes others.
        case refusedOne
        /// The hub refused a message and nothing shows that it takes others: keeps its messages, and tries another one.
        case refused(because: String)
        /// No worker posts for this many seconds; after that all of them post more slowly.
        case closeGate(seconds: Double, because: String)
        /// Forget the token and sign again; if that is refused too, use the other key; then hold.
        case signAgain
        /// The post failed. If the others fail as well, the hub's breaker opens.
        case failed(because: String)
    }

    /// What else has to be known about a post.
    struct Facts {
        /// Attempts its messages had before this one.
        var attempt: Int16
        /// Monotonic seconds.
        var expiresAt: Double
        var onDoubt: OnDoubt
        /// The post of several contents that was refused before this part of it was tried alone.
        var from: Int64?
        /// Whether other posts got through meanwhile: then the failure is due to this message.
        var othersSucceed: Bool
        /// Whether the hub takes others, so that it refused this message and not everybody (`Refusals`).
        var isOwnRefusal = false
        /// Whether every key was refused, so that the hub is held now.
        var isLastKey = false
        /// Monotonic seconds.
        var now: Double
        /// 0 to 1.
        var random: Double
    }

    /// - Parameter facts: read only where they matter.
    init(_ verdict: Verdict, _ facts: @autoclosure () -> Facts, _ settings: DispatchSettings) {
        switch verdict {
        case .accepted:
            self.init(MessageOutcome(.accepted, .takenByHub), .takes)
        case .targetGone(let since, let why):
            self.init(MessageOutcome(.rejected, .targetGone, note: GoneNote.text(since: since, because: why)), .works)
        case .targetInvalid(let why):
            self.init(MessageOutcome(.rejected, .targetInvalid, note: why), .works)
        case .tooLarge(let why):
            self.init(
                MessageOutcome(.rejected, .tooLarge, note: Self.alone(why, facts())), .works, mayBeSplit: true)
        case .rejected(let why):
            self.init(
                MessageOutcome(.rejected, .badRequest, note: Self.alone(why, facts())), .works, mayBeSplit: true)
        case .throttled(let wait, .target, let why):
            self.init(Self.again(.targetThrottled, why, facts(), settings, after: wait, cost: 1), .works)
        case .throttled(let wait, .hub, let why):
            self.init(
                Self.again(.throttled, why, facts(), settings, after: wait, cost: 0),
                .closeGate(seconds: wait, because: why))
        case .authExpired(let why):
            let facts = facts()
            if facts.isOwnRefusal {
                self.init(refused: .authRefused, why, facts, settings)
            } else {
                let wait = facts.isLastKey ? Self.untilNextTry(facts, settings) : 1
                self.init(Self.again(.authRefused, why, facts, settings, after: wait, cost: 0), .signAgain)
            }
        case .authFailed(let why): self.init(refused: .authRefused, why, facts(), settings)
        case .hubNotFound(let why): self.init(refused: .hubNotFound, why, facts(), settings)
        case .quotaExceeded(let why): self.init(refused: .quotaExceeded, why, facts(), settings)
        case .unavailable(let after, let why):
            self.init(Self.failed(.unavailable, why, facts(), settings, after: after ?? 0), .failed(because: why))
        case .notSent(let why):
            self.init(Self.failed(.notSent, why, facts(), settings, after: 0), .failed(because: why))
        case .unknown(let why):
            let facts = facts()
            switch facts.onDoubt {
            case .hold:
                let note = "\(why). It may have been sent: decide with push.resolve or fanfare doubt resolve."
                self.init(MessageOutcome(.inDoubt, .answerLost, note: note), .failed(because: why))
            case .resend:
                self.init(Self.again(.resent, why, facts, settings, after: 0, cost: 1), .failed(because: why))
            }
        }
    }

    /// A refusal that may be about the hub or about this message alone.
    ///
    /// Beside others that the hub takes it costs an attempt. Otherwise it costs none, and the message waits until the hub
    /// has been tried with another one.
    private init(refused reason: Reason, _ why: String, _ facts: Facts, _ settings: DispatchSettings) {
        if facts.isOwnRefusal {
            let outcome = Self.again(reason, Self.alone(why, facts), facts, settings, after: 0, cost: 1)
            self.init(outcome, .refusedOne, mayBeSplit: true)
        } else {
            let wait = Self.untilNextTry(facts, settings)
            let outcome = Self.again(reason, why, facts, settings, after: wait, cost: 0)
            self.init(outcome, .refused(because: why), mayBeSplit: true)
        }
    }

    /// Seconds a message waits that a hub refused which may refuse everybody: others are tried first. A message that
    /// expires soon gets another try before that.
    private static func untilNextTry(_ facts: Facts, _ settings: DispatchSettings) -> Double {
        min(settings.probeSeconds, max(0, (facts.expiresAt - facts.now) / 2))
    }

    private static func alone(_ why: String, _ facts: Facts) -> String {
        facts.from.map { "\(why) (refused alone after post \($0) was split)" } ?? why
    }

    private init(_ outcome: MessageOutcome, _ effect: Effect, mayBeSplit: Bool = false) {
        self.outcome = outcome
        self.effect = effect
        self.mayBeSplit = mayBeSplit
    }

    /// A failure costs an attempt while other posts succeed. While nothing works it is the hub's, and costs none.
    private static func failed(
        _ reason: Reason, _ why: String, _ facts: Facts, _ settings: DispatchSettings, after: Double
    ) -> MessageOutcome {
        again(reason, why, facts, settings, after: after, cost: facts.othersSucceed ? 1 : 0)
    }

    private static func again(
        _ reason: Reason, _ why: String, _ facts: Facts, _ settings: DispatchSettings, after: Double, cost: Int16
    ) -> MessageOutcome {
        let made = facts.attempt + cost
        if cost > 0, made >= settings.attempts {
            return MessageOutcome(
                .rejected, .attemptsExhausted, note: "\(made) attempts while others succeeded; last: \(why)")
        }
        let next = settings.backoff.nextAttempt(
            now: facts.now, expiresAt: facts.expiresAt, attempt: max(1, Int(made)), random: facts.random, after: after)
        guard let next else {
            // A person may open the gate before that, so a message that only waits for it keeps its time.
            if reason == .throttled, facts.expiresAt > facts.now {
                return .retrying(reason, after: facts.expiresAt - facts.now, cost: cost, note: why)
            }
            return MessageOutcome(.expired, .expired, note: "It would expire before the next attempt; last: \(why)")
        }
        return .retrying(reason, after: next - facts.now, cost: cost, note: why)
    }
}
