import Glibc

/// A numeric IP address. An IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`, RFC 4291 section 2.5.5.2) is the
/// IPv4 one.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16, the most significant first.
    package let bytes: [UInt8]

    private static let mappedPrefix: [UInt8] = Array(repeating: 0, count: 10) + [255, 255]

    package init(bytes: [UInt8]) {
        let isMapped = bytes.count == 16 && bytes.starts(with: Self.mappedPrefix)
        self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
    }

    /// - Returns: nil for a text that is no address, or one with a zone, a port or brackets.
    package init?(_ text: some StringProtocol) {
        // C would stop reading at a NUL.
        guard !text.utf8.contains(0) else { return nil }
        let text = String(text)
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(bytes: withUnsafeBytes(of: v4) { Array($0) })
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self.init(bytes: withUnsafeBytes(of: v6) { Array($0) })
        } else {
            return nil
        }
    }

    package var isIPv4: Bool { bytes.count == 4 }

    /// 127.0.0.0/8 and ::1.
    package var isLoopback: Bool {
        isIPv4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// As RFC 5952 writes it.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }
}
