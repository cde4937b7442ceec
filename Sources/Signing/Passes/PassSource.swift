/// The passes of one hub, shared by all lanes that post there: `HubTokens` signs them, other kinds fetch them.
///
/// Never waits: without a pass it returns nil, and the caller asks again.
public protocol PassSource: Sendable {
    /// A pass that serves now.
    ///
    /// - Parameter origin: where the request goes, as `Provider.host`; most kinds have one pass for all.
    /// - Returns: nil when there is none yet; `trouble` has the reason, and `keepReady` fetches one.
    func pass(for origin: String) -> Pass?

    /// The service refused it: it is not given out again, unless signing it anew yields the same one. Late news of an
    /// older pass changes nothing.
    func forget(_ refused: Pass)

    /// The service asked all that show this pass to wait: no new one is signed or fetched meanwhile. Default: nothing.
    ///
    /// - Parameter seconds: how long from now.
    func throttled(_ pass: Pass, for seconds: Double)

    /// Uses the other credential from now on, if `refused` is of the one in use. Two lanes that are refused at the same
    /// time change once, not there and back.
    ///
    /// - Returns: whether the credential in use now differs from that of `refused`, so that a retry makes sense.
    func useOther(than refused: Pass) -> Bool

    /// Uses the wanted credential from now on.
    ///
    /// - Returns: whether it changed: false when it is in use already, or there is no secondary.
    func use(secondary wanted: Bool) -> Bool

    var hasSecondary: Bool { get }

    /// Whether the secondary credential is in use now.
    var usesSecondary: Bool { get }

    /// Seconds since 1970 at which the current pass ends; nil: there is none.
    var expiry: Int64? { get }

    /// Seconds since 1970 at which the client certificate ends, which a person has to renew; nil: there is none. Default: nil.
    var certificateExpiry: Int64? { get }

    /// Passes signed or fetched so far.
    var issued: Int { get }

    /// Why there is no pass; nil: there is one. Default: nil.
    var trouble: PassTrouble? { get }

    /// Why the credential in use is refused while the other one serves in its place; nil: it is not. Default: nil.
    var refusal: String? { get }

    /// A hold of the hub is over: somebody may have put right what its service refused, so it is asked again at once.
    /// Default: does nothing, because signing asks nobody.
    func tryAgain()

    /// Keeps a pass ready until the task is cancelled, for kinds that have to fetch it. One task for each source.
    /// Default: returns at once, because signing needs no waiting.
    ///
    /// - Parameter changed: called with each new `trouble`, and at each new pass, one call after the other.
    func keepReady(_ changed: @escaping @Sendable (PassTrouble?) async -> Void) async
}

/// Why a hub has no pass. The texts are for people, and hold no secret.
public enum PassTrouble: Error, Sendable, Equatable {
    /// It is asked for again by itself.
    case waiting(because: String)
    /// Asking again will not help: the hub is held until its settings are right.
    case refused(because: String)

    public var reason: String {
        switch self {
        case .waiting(let why), .refused(let why): why
        }
    }
}

extension PassSource {
    public func throttled(_ pass: Pass, for seconds: Double) {}
    public var certificateExpiry: Int64? { nil }
    public var trouble: PassTrouble? { nil }
    public var refusal: String? { nil }
    public func tryAgain() {}
    public func keepReady(_ changed: @escaping @Sendable (PassTrouble?) async -> Void) async {}
}
