import CLibcurl
import Glibc

/// Addresses of this machine: 127.0.0.0/8, ::1 and `localhost`.
enum Loopback {
    /// - Parameter host: as libcurl's URL parser gives it: IPv4 in four parts, IPv6 in brackets.
    static func isLoopback(host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }  // libcurl resolves this name by itself
        var v4 = in_addr()
        if inet_pton(AF_INET, host, &v4) == 1 { return isLoopback(v4) }
        guard host.hasPrefix("["), host.hasSuffix("]") else { return false }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &v6) == 1 else { return false }
        return isLoopback(v6)
    }

    /// - Parameter address: the one libcurl is about to connect to.
    static func isLoopback(_ address: UnsafePointer<curl_sockaddr>) -> Bool {
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return false }
        let raw = UnsafeRawPointer(address) + offset
        switch address.pointee.family {
        case AF_INET: return isLoopback(raw.loadUnaligned(as: sockaddr_in.self).sin_addr)
        // libcurl allocates as much as the address family needs, more than the declared struct.
        case AF_INET6: return isLoopback(raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default: return false
        }
    }

    private static func isLoopback(_ address: in_addr) -> Bool {
        UInt32(bigEndian: address.s_addr) >> 24 == 127
    }

    private static func isLoopback(_ address: in6_addr) -> Bool {
        withUnsafeBytes(of: address) { bytes in
            bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        }
    }
}
