/// Numeric addresses: one, such as `10.0.0.5` or `::1`, or a network, such as `10.0.0.0/8` or `fd00::/8` (RFC 4632,
/// section 3.1; RFC 4291, section 2.3). Pure.
public struct AddressRange: Sendable, Equatable, CustomStringConvertible {
    private let address: IPAddress
    /// How many bits of an address have to be the same.
    private let prefix: Int

    /// - Returns: nil for another text; for a network whose address has bits behind the prefix, because it may be misspelt;
    ///   and for a prefix of 0, which is everybody.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let address = IPAddress(parts[0]) else { return nil }
        let bits = address.bytes.count * 8
        var prefix = bits
        if parts.count == 2 {
            let digits = parts[1].utf8
            guard (1...3).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }), digits.first != 48,
                let count = Int(parts[1])
            else { return nil }
            // Of an IPv4 address that is written as IPv6 the first 96 bits are not kept.
            prefix = address.isIPv4 && parts[0].contains(":") ? count - 96 : count
        }
        guard (1...bits).contains(prefix), Self.isZero(address.bytes, in: prefix..<bits) else { return nil }
        self.address = address
        self.prefix = prefix
    }

    /// Whether an address is one of these. False for a text that is no numeric address. The zone of an address (`%eth0`,
    /// RFC 4007) is passed over.
    public func contains(_ address: String) -> Bool {
        IPAddress(address.prefix { $0 != "%" }).map(contains) ?? false
    }

    package func contains(_ other: IPAddress) -> Bool {
        other.bytes.count == address.bytes.count
            && Self.isZero(zip(address.bytes, other.bytes).map { $0 ^ $1 }, in: 0..<prefix)
    }

    /// In its usual form: `10.0.0.0/8`, `::1`.
    public var description: String { prefix == address.bytes.count * 8 ? "\(address)" : "\(address)/\(prefix)" }

    private static func isZero(_ bytes: [UInt8], in bits: Range<Int>) -> Bool {
        bits.allSatisfy { bytes[$0 / 8] & (128 >> ($0 % 8)) == 0 }
    }
}
