import Concurrency
import PushModel
import Signing
import Synchronization

/// The passes of one hub that has a key, or two, of a developer team: provider tokens, which all hubs with the same key share
/// (`APNsCredentials`).
public final class ProviderTokens: PassSource {
    private let primary: SharedProviderToken
    private let secondary: SharedProviderToken?
    private let isSecondaryInUse = Mutex(false)
    private let pause: @Sendable (Double) async -> Void

    /// Most seconds of a rest: a clock that jumps is noticed after that time.
    static let longestRest = 60.0

    /// - Parameters:
    ///   - secondary: a second key, used after `useOther` or `use`. Default: none.
    ///   - credentials: those of the process.
    ///   - pause: waits this many seconds, less when cancelled. Default: sleeps.
    public init(
        primary: ProviderKey, secondary: ProviderKey? = nil, environment: APNsEnvironment,
        of credentials: APNsCredentials,
        pause: @escaping @Sendable (Double) async -> Void = { await Sleep.system($0) }
    ) {
        self.primary = credentials.token(of: primary, in: environment)
        self.secondary = secondary.map { credentials.token(of: $0, in: environment) }
        self.pause = pause
    }

    private func token(isSecondary: Bool) -> SharedProviderToken { isSecondary ? secondary ?? primary : primary }

    private var current: SharedProviderToken { token(isSecondary: usesSecondary) }

    /// The token that serves now, whatever the origin; signed when it is time for a new one.
    public func pass(for origin: String) -> Pass? {
        let isSecondary = usesSecondary
        return token(isSecondary: isSecondary).pass(isSecondary: isSecondary)
    }

    /// Leaves the connections of a pass that APNs refused, and the token itself when that is old enough to have a successor; else
    /// it is tried once more on new connections, and then there is no pass until a new one may be made.
    public func forget(_ refused: Pass) { owner(of: refused)?.forget(refused) }

    public func throttled(_ pass: Pass, for seconds: Double) { owner(of: pass)?.throttled(pass, for: seconds) }

    /// nil: of a key from before a reload.
    private func owner(of pass: Pass) -> SharedProviderToken? {
        let token = token(isSecondary: PassNumber(of: pass).isSecondary)
        return token.credential == pass.credential ? token : nil
    }

    public func useOther(than refused: Pass) -> Bool {
        forget(refused)
        let isOfSecondary = PassNumber(of: refused).isSecondary
        return use { inUse in inUse == isOfSecondary ? !inUse : inUse } || usesSecondary != isOfSecondary
    }

    public func use(secondary wanted: Bool) -> Bool { use { _ in wanted } }

    /// - Parameter choose: gets and returns whether the secondary is in use.
    private func use(_ choose: (Bool) -> Bool) -> Bool {
        guard let secondary else { return false }
        let isChanged = isSecondaryInUse.withLock { isSecondary in
            let wanted = choose(isSecondary)
            defer { isSecondary = wanted }
            return isSecondary != wanted
        }
        if isChanged {
            primary.wake()
            secondary.wake()
        }
        return isChanged
    }

    public var hasSecondary: Bool { secondary != nil }

    public var usesSecondary: Bool { isSecondaryInUse.withLock { $0 } }

    public var expiry: Int64? { current.expiry }

    /// Tokens of its keys, for all hubs that share them: one in 50 minutes.
    public var issued: Int { primary.issued + (secondary?.issued ?? 0) }

    public var trouble: PassTrouble? { current.trouble }

    /// Reports when there is no token, and when one may be made again: the next one who asks gets it.
    public func keepReady(_ changed: @escaping @Sendable (PassTrouble?) async -> Void) async {
        var reported: (trouble: PassTrouble?, misses: Int)?
        while !Task.isCancelled {
            let token = current
            var outlook = token.outlook
            if outlook.failed, outlook.rest == nil, reported != nil {
                // Nobody asks while the hub is held.
                _ = pass(for: "")
                outlook = token.outlook
            }
            // A miss, too: a lane that found none waits for the end of it.
            let isNews = reported.map { $0.trouble != outlook.trouble || $0.misses != outlook.misses } ?? true
            if isNews { await changed(outlook.trouble) }
            reported = (outlook.trouble, outlook.misses)
            await rest(min(outlook.rest ?? Self.longestRest, Self.longestRest), token, unlessAfter: outlook.changes)
        }
    }

    private func rest(_ seconds: Double, _ token: SharedProviderToken, unlessAfter changes: Int) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.pause(seconds) }
            group.addTask { await token.change(after: changes) }
            await group.next()
            group.cancelAll()
        }
    }
}
