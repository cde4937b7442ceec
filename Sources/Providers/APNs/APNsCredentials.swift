import Concurrency
import PushModel
import Signing
import Synchronization

/// What this process shows to APNs, by credential: one provider token for each key and environment, whatever the number of hubs,
/// lanes and reloads that use it, because APNs counts the tokens of a key and not ours of a hub. One object for the process.
///
/// Credentials are kept for as long as the process runs: a key that comes back with a reload must not get a second token within
/// 20 minutes.
public final class APNsCredentials: Sendable {
    private let now: @Sendable () -> ProviderTokenState.Moment
    private let kept = Mutex(Kept())

    private struct Kept {
        var tokens: [KeyIdentity: SharedProviderToken] = [:]
        var certificates: [String: SharedCertificate] = [:]
        /// Numbers given out: 0 is of services that bind no connection.
        var last: Int64 = 0

        mutating func nextNumber() -> Int64 {
            last += 1
            return last
        }
    }

    /// The key itself as well: a wrong file under the right id is another credential than the right one.
    private struct KeyIdentity: Hashable {
        let key: ProviderKey
        let environment: APNsEnvironment
    }

    /// - Parameters:
    ///   - wall: seconds since 1970-01-01 UTC, for `iat`. Default: the system's.
    ///   - monotonic: seconds that never jump. Default: the system's.
    public init(
        wall: @escaping @Sendable () -> Double = SystemClock.wallSeconds,
        monotonic: @escaping @Sendable () -> Double = SystemClock.monotonicSeconds
    ) {
        now = { ProviderTokenState.Moment(wall: wall(), monotonic: monotonic()) }
    }

    func token(of key: ProviderKey, in environment: APNsEnvironment) -> SharedProviderToken {
        kept.withLock { kept in
            let identity = KeyIdentity(key: key, environment: environment)
            if let known = kept.tokens[identity] { return known }
            let new = SharedProviderToken(key, credential: kept.nextNumber(), now: now)
            kept.tokens[identity] = new
            return new
        }
    }

    /// The same for all that bring this certificate, whatever the text of its key.
    func shared(_ certificate: ClientCertificate) -> SharedCertificate {
        kept.withLock { kept in
            if let known = kept.certificates[certificate.certificate] { return known }
            let new = SharedCertificate(certificate, credential: kept.nextNumber())
            kept.certificates[certificate.certificate] = new
            return new
        }
    }
}

/// A number of a pass: of its credential and what that has been through, and of the place that the credential has at a hub.
struct PassNumber {
    let value: Int64

    /// - Parameter serial: at most 2³¹: one in 50 minutes.
    init(credential: Int64, serial: Int64, isSecondary: Bool = false) {
        value = (credential << 31 | serial) << 1 | (isSecondary ? 1 : 0)
    }

    init(of pass: Pass) { value = pass.number }

    var isSecondary: Bool { value & 1 == 1 }
    var serial: Int64 { value >> 1 & 0x7FFF_FFFF }
}
