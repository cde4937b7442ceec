import Foundation
import Glibc

/// One HTTP request to a port of this machine, over a connection of its own.
enum Loopback {
    /// - Parameters:
    ///   - path: with the query, as it goes over the wire.
    ///   - headers: more of them.
    /// - Returns: nil when nothing listens there, or what came is no response.
    static func get(
        _ path: String, port: Int, headers: [String: String] = [:]
    ) async -> (status: Int, body: String)? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: ask(path, port, headers)) }
        }
    }

    private static func ask(_ path: String, _ port: Int, _ headers: [String: String]) -> (status: Int, body: String)? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { return nil }
        let more = headers.map { "\($0): \($1)\r\n" }.joined()
        let request = "GET \(path) HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\n\(more)\r\n"
        _ = send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL))
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { bytes += buffer[..<count] }
        let parts = String(decoding: bytes, as: UTF8.self).split(
            separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let status = parts[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return (status, String(parts[1]))
    }
}
