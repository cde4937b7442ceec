import PushModel

/// How many wrong passwords may come from one address: guessing is slow.
struct SignInLimit: Sendable {
    /// From one address, in `seconds`.
    static let wrongPasswords = 10
    static let seconds = 60.0
    /// Addresses that are remembered; beyond them the one that has been quiet longest is forgotten. Each wrong password
    /// costs a hash, one at a time, so nobody makes that many in `seconds`.
    static let addresses = 10_000

    /// When wrong passwords came, by the bytes that tell clients apart.
    private var wrong: [[UInt8]: [Double]] = [:]

    var count: Int { wrong.count }

    /// - Parameters:
    ///   - client: nil: not known; all of these are one.
    ///   - now: seconds of a clock that never goes back.
    /// - Returns: seconds until the next password is looked at. nil: it is looked at now.
    func wait(of client: IPAddress?, now: Double) -> Double? {
        let recent = Self.recent(wrong[Self.key(of: client)] ?? [], now)
        guard recent.count >= Self.wrongPasswords, let first = recent.first else { return nil }
        return first + Self.seconds - now
    }

    mutating func addWrong(from client: IPAddress?, now: Double) {
        let key = Self.key(of: client)
        wrong[key] = Self.recent(wrong[key] ?? [], now).suffix(Self.wrongPasswords - 1) + [now]
        guard wrong.count > Self.addresses else { return }
        wrong = wrong.filter { !Self.recent($0.value, now).isEmpty }
        guard wrong.count > Self.addresses,
            let quietest = wrong.min(by: { $0.value.last ?? 0 < $1.value.last ?? 0 })
        else { return }
        wrong[quietest.key] = nil
    }

    private static func recent(_ times: [Double], _ now: Double) -> [Double] { times.filter { $0 > now - seconds } }

    /// One subscriber of IPv6 has at least a /64 (RFC 6177) to invent addresses in.
    private static func key(of client: IPAddress?) -> [UInt8] {
        client.map { $0.isIPv4 ? $0.bytes : Array($0.bytes.prefix(8)) } ?? []
    }
}
