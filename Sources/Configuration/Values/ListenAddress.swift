import Glibc

/// Where a server listens: `127.0.0.1:9464`, `localhost:9464`, `[::1]:9464`.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// A name or an address; IPv6 without its brackets.
    public var host: String
    /// 0: any free port.
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Returns nil for a text that is not `host:port`.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("[") && host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
        } else {
            let name: (UInt8) -> Bool = { byte in
                switch byte {
                case 45, 46, 48...57, 65...90, 95, 97...122: true  // - . digits, letters, _
                default: false
                }
            }
            guard !host.isEmpty, host.utf8.allSatisfy(name) else { return nil }
        }
        self.init(host: String(host), port: Int(port))
    }

    /// Whether only this machine can connect: `localhost`, 127.0.0.0/8, ::1. Another name may mean any address.
    public var isLoopback: Bool {
        if host.lowercased() == "localhost" { return true }
        var v4 = in_addr()
        if inet_pton(AF_INET, host, &v4) == 1 { return UInt32(bigEndian: v4.s_addr) >> 24 == 127 }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, host, &v6) == 1 else { return false }
        return withUnsafeBytes(of: v6) { bytes in bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 }
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension [ListenAddress] {
    /// `off`, one address, or two with a comma between. Returns nil for another text.
    package init?(list text: String) {
        guard text != "off" else {
            self = []
            return
        }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let addresses = parts.compactMap { ListenAddress($0.trimmingPrefix(" ").description) }
        guard addresses.count == parts.count, parts.count <= 2 else { return nil }
        self = addresses
    }

    /// `off` when it is empty.
    package var list: String { isEmpty ? "off" : map(\.description).joined(separator: ",") }
}
