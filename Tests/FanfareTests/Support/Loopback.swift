import Foundation
import Glibc

/// One HTTP request to a port of this machine, over a connection of its own.
enum Loopback {
    /// What came back.
    struct Reply: Sendable {
        var status: Int
        /// Status line and header lines.
        var head: String
        var body: String

        /// The values of a field, each line on its own.
        func values(_ name: String) -> [String] {
            head.split(separator: "\r\n").compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name else { return nil }
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// - Parameters:
    ///   - path: with the query, as it goes over the wire.
    ///   - headers: more of them.
    /// - Returns: nil when nothing listens there, or what came is no response.
    static func get(
        _ path: String, port: Int, headers: [String: String] = [:]
    ) async -> (status: Int, body: String)? {
        await ask("GET", path, port: port, headers: headers).map { ($0.status, $0.body) }
    }

    /// - Parameters:
    ///   - headers: more of them; `Host` in place of ours.
    ///   - body: of a form; empty: none.
    /// - Returns: as `get`, with the header lines.
    static func ask(
        _ method: String, _ path: String, port: Int, headers: [String: String] = [:], body: String = ""
    ) async -> Reply? {
        var headers = headers
        if !body.isEmpty {
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            headers["Content-Length"] = "\(body.utf8.count)"
        }
        let host = headers.removeValue(forKey: "Host") ?? "localhost:\(port)"
        let lines = headers.map { "\($0): \($1)\r\n" }.joined()
        let request =
            "\(method) \(path) HTTP/1.0\r\nHost: \(host)\r\nConnection: close\r\n\(lines)\r\n\(body)"
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: send(request, to: port)) }
        }
    }

    private static func send(_ request: String, to port: Int) -> Reply? {
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
        _ = Glibc.send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL))
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { bytes += buffer[..<count] }
        let parts = String(decoding: bytes, as: UTF8.self).split(
            separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let status = parts[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return Reply(status: status, head: String(parts[0]), body: String(parts[1]))
    }
}
