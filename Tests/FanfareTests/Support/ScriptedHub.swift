import ProgramSupport
import Foundation
import Glibc
import Synchronization

/// A server on loopback that answers what a test tells it to: for what no hub says when it is well.
final class ScriptedHub: Sendable {
    struct Request: Sendable {
        let method: String
        /// With the query.
        let target: String
        /// As they were sent.
        let headers: [String]
        let body: String
    }

    struct Answer: Sendable {
        var status: Int
        var headers: [String] = []
        var body = ""
    }

    /// The settings that lead here; the hub is `news`.
    let fanfare: BuiltProgram
    let connection: String
    private let scratch: ScratchDirectory
    private let socket: Int32
    private let seen = Mutex<[Request]>([])

    /// What has been asked so far.
    var requests: [Request] { seen.withLock { $0 } }

    /// - Parameter script: told the request, and how many came before it.
    static func run(
        _ script: @escaping @Sendable (Request, Int) -> Answer, _ body: (ScriptedHub) async throws -> Void
    ) async throws {
        let hub = try ScriptedHub()
        let thread = Thread { hub.serve(script) }
        thread.start()
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(hub))
        } catch {
            outcome = .failure(error)
        }
        shutdown(hub.socket, Int32(SHUT_RDWR))  // wakes the thread, which ends
        try outcome.get()
    }

    private struct Unavailable: Error {}

    private init() throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let isOpen = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, size) == 0 && listen(socket, 64) == 0 && getsockname(socket, address, &size) == 0
            }
        }
        guard isOpen else { throw Unavailable() }
        let port = UInt16(bigEndian: address.sin_port)
        scratch = try ScratchDirectory()
        connection =
            "Endpoint=http://127.0.0.1:\(port)/;SharedAccessKeyName=k;SharedAccessKey=\(BuiltProgram.secrets[0])"
        fanfare = BuiltProgram(
            settings: try scratch.write(
                """
                {"hubs": {"news": {"hub": "h", "connectionString": "\(connection)"}}}
                """, to: "config.json"), scratch: scratch)
    }

    deinit { close(socket) }

    /// One connection after the other, one request each.
    private func serve(_ script: (Request, Int) -> Answer) {
        while case let client = accept(socket, nil, nil), client >= 0 {
            if let request = Self.read(client) {
                let before = seen.withLock { seen in
                    seen.append(request)
                    return seen.count - 1
                }
                let answer = script(request, before)
                let head = ["HTTP/1.1 \(answer.status) X", "Content-Length: \(answer.body.utf8.count)"]
                let lines = head + answer.headers + ["Connection: close", "", answer.body]
                var bytes = Array(lines.joined(separator: "\r\n").utf8)[...]
                while !bytes.isEmpty {
                    let count = bytes.withUnsafeBytes {
                        send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    if count <= 0 { break }
                    bytes = bytes.dropFirst(count)
                }
            }
            close(client)
        }
    }

    private static func read(_ client: Int32) -> Request? {
        var text = Data()
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(client, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            text.append(contentsOf: piece[..<count])
            guard let end = text.firstRange(of: Data("\r\n\r\n".utf8)) else { continue }
            let head = String(decoding: text[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            let length = head.first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.split(separator: " ")[1]) }
            guard text.count - end.upperBound >= length ?? 0 else { continue }
            let words = head[0].split(separator: " ")
            return Request(
                method: String(words[0]), target: String(words[1]), headers: Array(head.dropFirst()),
                body: String(decoding: text[end.upperBound...], as: UTF8.self))
        }
    }
}
