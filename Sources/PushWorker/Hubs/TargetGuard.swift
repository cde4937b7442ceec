import PushModel

/// Whether a service that refuses targets has something against the sender: tokens of another project are refused one by
/// one, and a table of millions would be spent on them. Pure; one for each hub.
///
/// Targets that are gone (`targetGone`) are not counted: they were right once, so the sender is.
struct TargetGuard {
    enum Step: Equatable {
        /// Too many targets are invalid: only a person knows whether the rest are, too, so no probe ends this hold.
        case hold(because: String)
        /// Target after target is throttled: all wait for the longest of their waits.
        case close(seconds: Double, because: String)
    }

    /// Answers looked back on, and how many have to be there before they say anything.
    static let remembered = 200
    static let least = 20
    /// One invalid target in five is bearable; more hold the hub.
    static let share = 5
    /// So many throttled targets among the last `least` answers close the gate.
    static let mostThrottled = 5

    private enum Answer {
        case taken
        case invalid
        /// Seconds to wait.
        case throttled(Double)
    }

    /// A ring: when it is full, the next answer takes the place of the oldest, at `oldest`.
    private var answers: [Answer] = []
    private var oldest = 0
    private var invalid = 0

    /// A service answered to a post for one target.
    ///
    /// - Parameter suspicion: what people should look at when many targets are invalid, as a question.
    mutating func answered(_ verdict: Verdict, suspicion: String) -> Step? {
        switch verdict {
        case .accepted, .targetGone, .tooLarge, .rejected: remember(.taken)
        case .targetInvalid(let why): return refused(why, suspicion)
        case .throttled(let wait, .target, let why): return throttled(wait, why)
        case .throttled, .unavailable, .authExpired, .authFailed, .hubNotFound, .quotaExceeded, .notSent, .unknown:
            break
        }
        return nil
    }

    private mutating func refused(_ why: String, _ suspicion: String) -> Step? {
        remember(.invalid)
        guard answers.count >= Self.least, invalid * Self.share > answers.count else { return nil }
        let counted = "\(invalid) of the last \(answers.count) targets are invalid"
        self = TargetGuard()
        return .hold(because: "\(counted): \(suspicion) Last: \(why). Then resume the hub with push.resume_hub.")
    }

    private mutating func throttled(_ wait: Double, _ why: String) -> Step? {
        remember(.throttled(wait))
        let waits = (1...Self.least).compactMap { back in
            if back <= answers.count, case .throttled(let wait) = answers[index(back)] { wait } else { nil }
        }
        guard waits.count >= Self.mostThrottled, let longest = waits.max() else { return nil }
        // They have had their effect.
        for index in answers.indices { if case .throttled = answers[index] { answers[index] = .taken } }
        return .close(seconds: longest, because: "\(waits.count) targets in \(Self.least) are throttled; last: \(why)")
    }

    private mutating func remember(_ answer: Answer) {
        if case .invalid = answer { invalid += 1 }
        guard answers.count == Self.remembered else { return answers.append(answer) }
        if case .invalid = answers[oldest] { invalid -= 1 }
        answers[oldest] = answer
        oldest = (oldest + 1) % Self.remembered
    }

    /// Where the last answer is, the one before it, and so on.
    ///
    /// - Parameter back: 1: the last.
    private func index(_ back: Int) -> Int { (oldest + answers.count - back) % answers.count }
}
