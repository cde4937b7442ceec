import Concurrency
import HTTPTransport
import Signing
import Synchronization

/// The access tokens of one hub, shared by all lanes that post there: one at a time, in memory only.
///
/// `AccessTokenState` decides; `keepReady` does what it says. The next token is asked for 300 s before the end of the one that
/// serves, so that no post waits for an exchange after the first.
public final class AccessTokens: PassSource {
    private let primary: ServiceAccount
    private let secondary: ServiceAccount?
    private let shared: Shared
    private let headers: SharedHeaders
    private let now: @Sendable () -> Double
    private let random: @Sendable () -> Double
    private let pause: @Sendable (Double) async -> Void
    private let perform: @Sendable (Request) async -> Reply

    /// What the sources of two generations of settings have in common while both run.
    private final class Shared: Sendable {
        struct State {
            var tokens: AccessTokenState
            var changes = 0
            /// Tasks that rest in `keepReady`.
            var waiting = WaiterQueue<Void, Void>()
        }

        let state: Mutex<State>

        init(_ tokens: AccessTokenState) { state = Mutex(State(tokens: tokens)) }
    }

    /// - Parameters:
    ///   - secondary: a second account, for rotation and when the first is refused. Default: none.
    ///   - version: ours, for `User-Agent: fanfare/VERSION`. Default: `dev`.
    ///   - earlier: the source before a reload. With the same accounts the new one has its tokens, and both stay in step while
    ///     both are used. Default: none.
    ///   - now: seconds since 1970-01-01 UTC.
    ///   - random: 0 to 1, for pauses after failures. Default: the system's.
    ///   - pause: waits this many seconds, less when cancelled. Default: sleeps.
    ///   - perform: sends a request, such as `HTTPClient.perform`.
    /// - Throws: `InvalidHub.version` when the version does not fit into a header.
    public init(
        primary: ServiceAccount, secondary: ServiceAccount? = nil, version: String = "dev",
        continuing earlier: AccessTokens? = nil, now: @escaping @Sendable () -> Double,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        pause: @escaping @Sendable (Double) async -> Void = { await Sleep.system($0) },
        perform: @escaping @Sendable (Request) async -> Reply
    ) throws(InvalidHub) {
        self.primary = primary
        self.secondary = secondary
        self.now = now
        self.random = random
        self.pause = pause
        self.perform = perform
        if let earlier, earlier.primary == primary, earlier.secondary == secondary {
            shared = earlier.shared
        } else {
            let serial = earlier?.look { $0.serial } ?? 0
            shared = Shared(AccessTokenState(hasSecondary: secondary != nil, after: serial))
        }
        do throws(HeaderError) {
            headers = SharedHeaders([
                try HeaderLine("Content-Type", "application/x-www-form-urlencoded"),
                try HeaderLine("User-Agent", "fanfare/\(version)"),
            ])
        } catch {
            throw .version(error)
        }
    }

    /// The token that serves now, whatever the origin: it is the hub's.
    public func pass(for origin: String) -> Pass? { look { $0.pass(at: now()) } }

    public func forget(_ refused: Pass) { change { $0.forget(refused) } }

    public func useOther(than refused: Pass) -> Bool { change { $0.useOther(than: refused) } }

    public func use(secondary wanted: Bool) -> Bool { change { $0.use(wanted ? .secondary : .primary) } }

    public func tryAgain() { change { $0.tryAgain(at: now()) } }

    public var hasSecondary: Bool { secondary != nil }

    public var usesSecondary: Bool { look { $0.account == .secondary } }

    public var expiry: Int64? { look { $0.pass(at: now())?.expiry } }

    /// Exchanges that brought a token. With Google's hour of life one every 55 minutes.
    public var issued: Int { look { $0.issued } }

    public var trouble: PassTrouble? { look { trouble(of: $0) } }

    public var refusal: String? { look { $0.refusal(at: now()) } }

    /// Whether a trouble or a refusal, by its reason, comes from the clock of this machine.
    public static func blamesClock(_ reason: String) -> Bool { reason.contains(AccessTokenAnswer.clockIs) }

    private func trouble(of tokens: AccessTokenState) -> PassTrouble? {
        let now = now()
        if tokens.pass(at: now) != nil { return nil }
        return tokens.trouble(at: now) ?? .waiting(because: "an access token is being fetched")
    }

    /// Gets the first token, and each next one before the end of the one that serves, until the task is cancelled. What is on
    /// the way then is given up, and the next call begins anew.
    public func keepReady(_ changed: @escaping @Sendable (PassTrouble?) async -> Void) async {
        var reported: (trouble: PassTrouble?, pass: Pass?)?
        while !Task.isCancelled {
            let current = look { (trouble: trouble(of: $0), pass: $0.pass(at: now())) }
            // A new pass, too: a lane that found none in between waits for it.
            if reported.map({ $0 != current }) ?? true { await changed(current.trouble) }
            reported = current
            let (step, changes) = shared.state.withLock { ($0.tokens.next(at: now()), $0.changes) }
            switch step {
            case .ask(let account): await ask(account)
            case .rest(let seconds): await rest(seconds, unlessAfter: changes)
            }
        }
    }

    private func ask(_ account: AccessTokenState.Account) async {
        let askedAt = now()
        let answer = await exchange(account == .primary ? primary : secondary ?? primary, at: askedAt)
        if Task.isCancelled {
            // The transport abandons the request with the task. A token that came all the same is used.
            guard case .token = answer else { return change { $0.abandoned() } }
        }
        change { $0.answered(answer, askedAt: askedAt, at: now(), random: random()) }
    }

    private func exchange(_ account: ServiceAccount, at askedAt: Double) async -> AccessTokenAnswer {
        let assertion: Secret
        do throws(RSAKeyError) {
            assertion = try JWTAssertion.sign(for: account, now: Int64(askedAt))
        } catch {
            return .refused(because: "private_key \(error)")
        }
        let reply = await perform(Self.request(for: account, assertion, headers))
        return AccessTokenAnswer(reply, to: assertion, skew: reply.skew)
    }

    static func request(for account: ServiceAccount, _ assertion: Secret, _ headers: SharedHeaders) -> Request {
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion.reveal())"
        return Request(url: account.tokenAddress.text, shared: headers, body: Array(form.utf8))
    }

    private func rest(_ seconds: Double, unlessAfter changes: Int) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.pause(seconds) }
            group.addTask { await self.change(after: changes) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns when something has changed since; earlier only when the task is cancelled.
    private func change(after changes: Int) async {
        await WaiterQueue.wait(whenCancelled: ()) { waiter in
            shared.state.withLock { state in
                if state.changes != changes { return () }
                state.waiting.append(waiter)
                return nil
            }
        } remove: { id in
            shared.state.withLock { $0.waiting.remove(id) }
        }
    }

    private func look<Value>(_ body: (AccessTokenState) -> Value) -> Value {
        shared.state.withLock { body($0.tokens) }
    }

    private func change<Value>(_ body: (inout AccessTokenState) -> Value) -> Value {
        let (value, waiting) = shared.state.withLock { state in
            let value = body(&state.tokens)
            state.changes += 1
            return (value, state.waiting.popAll())
        }
        for waiter in waiting { waiter.resume(returning: ()) }
        return value
    }
}
