import PushModel
import Store

/// What an answer means for the messages of its post, and for all other posts to that hub. Pure: verdicts in, decisions out
/// (ARCHITECTURE.md, "When").
struct Settlement: Equatable {
    var outcome: MessageOutcome
    var effect: Effect

    /// What it means for the whole hub.
    enum Effect: Equatable {
        case none
        /// The hub works: ends a hold, closes the breaker, confirms the key.
        case works
        /// No worker posts for this many seconds; after that all of them post more slowly.
        case closeGate(seconds: Double, because: String)
        /// Forget the token and sign again; if that is refused too, use the other key; then hold.
        case signAgain
        /// Keep the hub's messages until a probe is accepted.
        case hold(because: String)
        /// The post failed. If the others fail as well, the hub's breaker opens.
        case failed(because: String)
    }

    /// What else has to be known about a post.
    struct Facts {
        /// Attempts its messages had before this one.
        var attempt: Int16
        /// Seconds since 1970.
        var expiresAt: Double
        var onDoubt: OnDoubt
        /// The post of several contents that was refused before this part of it was tried alone.
        var from: Int64?
        /// Whether the hub took other posts meanwhile: then the failure is due to this message.
        var othersSucceed: Bool
        /// Seconds since 1970.
        var now: Double
        /// 0 to 1.
        var random: Double
    }

    /// - Parameter facts: read only where they matter.
    init(_ verdict: Verdict, _ facts: @autoclosure () -> Facts, _ settings: DispatchSettings) {
        switch verdict {
        case .accepted:
            self.init(MessageOutcome(.accepted, .takenByHub), .works)
        case .targetGone(let why):
            self.init(MessageOutcome(.rejected, .targetGone, note: why), .works)
        case .targetInvalid(let why):
            self.init(MessageOutcome(.rejected, .targetInvalid, note: why), .works)
        case .tooLarge(let why):
            self.init(MessageOutcome(.rejected, .tooLarge, note: Self.alone(why, facts())), .works)
        case .rejected(let why):
            self.init(MessageOutcome(.rejected, .badRequest, note: Self.alone(why, facts())), .works)
        case .throttled(let after, let why):
            let wait = after ?? 10
            self.init(
                Self.again(.throttled, why, facts(), settings, after: wait, cost: 0),
                .closeGate(seconds: wait, because: why))
        case .authExpired(let why):
            self.init(Self.again(.authRefused, why, facts(), settings, after: 1, cost: 0), .signAgain)
        case .authFailed(let why):
            self.init(Self.again(.authRefused, why, facts(), settings, after: 0, cost: 0), .hold(because: why))
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

    /// Whether the content was refused. Of several contents in a post, perhaps only one is at fault.
    var mayBeSplit: Bool { outcome.reason == .tooLarge || outcome.reason == .badRequest }

    private static func alone(_ why: String, _ facts: Facts) -> String {
        facts.from.map { "\(why) (refused alone after post \($0) was split)" } ?? why
    }

    private init(_ outcome: MessageOutcome, _ effect: Effect) {
        self.outcome = outcome
        self.effect = effect
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
            return MessageOutcome(.expired, .expired, note: "It would expire before the next attempt; last: \(why)")
        }
        return .retrying(reason, after: next - facts.now, cost: cost, note: why)
    }
}
