import Signing

/// The access tokens of one hub: which one serves, and what to do next. Pure: events in, steps out.
///
/// All times are seconds since 1970 by one clock. A clock that is set back makes a token that looks too young: it is
/// replaced, because it ends later than it says.
struct AccessTokenState: Sendable {
    /// Seconds before the end of a token from which the next one is asked for, while it still serves.
    static let margin = 300.0
    /// Most seconds of a rest: a clock that jumps is noticed after that time.
    static let longestRest = 60.0
    /// Seconds between two exchanges that succeed, so that an endpoint whose tokens have no life is not asked without end.
    private static let shortestPause = 10.0

    enum Account: Int, Sendable {
        case primary, secondary

        var other: Account { self == .primary ? .secondary : .primary }
    }

    enum Step: Equatable {
        /// Ask for a token of this account now. Ends with `answered` or `abandoned`.
        case ask(Account)
        /// Nothing to do for this many seconds, unless something changes before.
        case rest(Double)
    }

    /// What is known of one account.
    private struct Slot: Sendable {
        var pass: Pass?
        /// When `pass` was asked for.
        var askedAt = 0.0
        /// From when on the next one is asked for.
        var renewAt = 0.0
        var trouble: PassTrouble?
        /// Exchanges in a row without a token.
        var failures = 0
        /// Not asked before; nil: at once.
        var pausedUntil: Double?

        func isUsable(at now: Double) -> Bool {
            guard let pass else { return false }
            return now < Double(pass.expiry) && askedAt <= now + AccessTokenState.margin
        }

        /// Seconds until it is asked; 0 or less: now.
        func wait(at now: Double) -> Double {
            let renewal = isUsable(at: now) ? renewAt - now : 0
            // After a clock that was set back the pause would never end.
            let pause = pausedUntil.map { $0 - now > AccessTokenState.longestPause ? 0 : $0 - now } ?? 0
            return max(renewal, pause)
        }
    }

    let hasSecondary: Bool
    /// The account in use.
    private(set) var account = Account.primary
    private var slots = [Slot(), Slot()]
    /// Whom a request is on the way for: one at a time.
    private var asking: Account?
    /// Of the newest pass.
    private(set) var serial: Int64
    /// Tokens got so far.
    private(set) var issued = 0
    /// When a refused account was last asked for before its time.
    private var triedAgainAt = -Double.infinity

    /// - Parameter serial: the last one of a source before this one, so that no two passes of a hub have the same number.
    ///   Default: there was none.
    init(hasSecondary: Bool, after serial: Int64 = 0) {
        self.hasSecondary = hasSecondary
        self.serial = serial
    }

    private subscript(account: Account) -> Slot {
        get { slots[account.rawValue] }
        set { slots[account.rawValue] = newValue }
    }

    /// The pass that serves at this time; nil: there is none.
    ///
    /// While the account in use is refused, that of the other one: rotation may not stop a hub.
    func pass(at now: Double) -> Pass? {
        if self[account].isUsable(at: now) { return self[account].pass }
        return leansOnOther && self[account.other].isUsable(at: now) ? self[account.other].pass : nil
    }

    /// Why there is no pass; nil: there is one, or it is not known yet.
    func trouble(at now: Double) -> PassTrouble? {
        guard pass(at: now) == nil else { return nil }
        guard leansOnOther, case .refused(let because) = self[account].trouble else { return self[account].trouble }
        switch self[account.other].trouble {
        case .refused(let other): return .refused(because: "\(because); the other account: \(other)")
        case .waiting(let other): return .waiting(because: "\(because); the other account: \(other)")
        case nil: return nil  // it is being asked
        }
    }

    /// Why the account in use is refused while the other one's pass serves; nil: that is not so.
    func refusal(at now: Double) -> String? {
        guard leansOnOther, pass(at: now) != nil, !self[account].isUsable(at: now) else { return nil }
        return self[account].trouble?.reason
    }

    private var leansOnOther: Bool {
        guard hasSecondary, case .refused = self[account].trouble else { return false }
        return true
    }

    // MARK: - Steps

    /// What to do now. After `.ask` the state waits for its end, and rests until then.
    mutating func next(at now: Double) -> Step {
        if asking != nil { return .rest(Self.longestRest) }
        var least = Self.longestRest
        for candidate in leansOnOther ? [account, account.other] : [account] {
            let wait = self[candidate].wait(at: now)
            if wait <= 0 {
                asking = candidate
                return .ask(candidate)
            }
            least = min(least, wait)
        }
        return .rest(least)
    }

    /// The end of a request.
    ///
    /// - Parameters:
    ///   - askedAt: when it was made: from then on the token lives.
    ///   - random: 0 to 1, for the pause after a failure.
    mutating func answered(_ answer: AccessTokenAnswer, askedAt: Double, at now: Double, random: Double) {
        guard let account = asking else { return }
        asking = nil
        var slot = self[account]
        switch answer {
        case .token(let header, let life):
            serial += 1
            issued += 1
            let end = Self.end(of: life, from: askedAt)
            slot.pass = Pass(header: header, number: serial * 2 + Int64(account.rawValue), expiry: end)
            slot.askedAt = askedAt
            // A token of short life serves for half of it.
            slot.renewAt = max(Double(end) - Self.margin, askedAt + Double(life) / 2)
            slot.trouble = nil
            slot.failures = 0
            slot.pausedUntil = now + Self.shortestPause
        case .later(let after, let because):
            slot.failures += 1
            slot.trouble = .waiting(because: because)
            slot.pausedUntil = now + Self.retryPause(slot.failures, after: after, random: random)
        case .refused(let because):
            slot.failures += 1
            slot.trouble = .refused(because: because)
            slot.pausedUntil = now + Self.refusalPause(slot.failures, random: random)
        }
        self[account] = slot
    }

    /// When a token ends: at most so long after it was asked for.
    static func end(of life: Int64, from askedAt: Double) -> Int64 { Int64(askedAt.rounded(.down)) + life }

    /// The request was given up by us: it says nothing about the endpoint.
    mutating func abandoned() { asking = nil }

    // MARK: - What the hub said

    /// The hub refused a pass: another one is asked for at once. A late refusal of an older pass changes nothing.
    mutating func forget(_ refused: Pass) {
        let account = Self.account(of: refused)
        guard self[account].pass == refused else { return }
        self[account].pass = nil
        self[account].pausedUntil = nil
    }

    /// - Returns: whether the account in use now differs from that of `refused`.
    mutating func useOther(than refused: Pass) -> Bool {
        let account = Self.account(of: refused)
        if self[account].pass == refused { self[account].pass = nil }
        return account != self.account || use(account.other)
    }

    /// - Returns: whether the account in use changed.
    mutating func use(_ wanted: Account) -> Bool {
        guard hasSecondary, wanted != account else { return false }
        account = wanted
        self[wanted].trouble = nil
        self[wanted].pausedUntil = nil
        return true
    }

    // MARK: - What people did

    /// A refusal may be over: what was refused is asked for at once. Once a minute, because another worker that is not refused
    /// may end holds of ours without end.
    mutating func tryAgain(at now: Double) {
        // A clock that was set back is no reason to wait.
        guard abs(now - triedAgainAt) >= Self.longestRest else { return }
        for index in slots.indices {
            guard case .refused = slots[index].trouble else { continue }
            slots[index].pausedUntil = nil
            triedAgainAt = now
        }
    }

    private static func account(of pass: Pass) -> Account { pass.number & 1 == 1 ? .secondary : .primary }

    // MARK: - Pauses

    /// Seconds until an endpoint that cannot answer is asked again: 1 to 60, growing, with jitter.
    static func retryPause(_ failures: Int, after: Double?, random: Double) -> Double {
        let longest = min(60, Double(1 << min(failures, 6)))
        let pause = 1 + (longest - 1) * min(max(random, 0), 1)
        return min(max(pause, after ?? 0), 60)
    }

    /// Seconds until an endpoint that refuses us is asked again: a minute, growing to ten. Somebody may have put it right,
    /// the clock or the account, and no one tells us.
    static func refusalPause(_ failures: Int, random: Double) -> Double {
        let longest = min(Self.longestPause, 60 * Double(1 << min(failures - 1, 4)))
        return longest * (0.5 + min(max(random, 0), 1) / 2)
    }

    private static let longestPause = 600.0
}
