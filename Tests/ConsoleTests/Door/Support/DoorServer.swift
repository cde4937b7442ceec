import HTTPServer
import NIOCore
import SocketSupport
import Synchronization
import Testing

@testable import Console

/// A door over real sockets. A person who is let in reads name and rights.
struct DoorServer: Sendable {
    let port: Int

    /// - Parameter requestSeconds: from the first byte of a request to its last.
    static func run(
        _ door: any Door, requestSeconds: Int = 600, _ body: (DoorServer) async throws -> Void
    ) async throws {
        let listener = Listener(idleSeconds: 600, requestSeconds: requestSeconds, maximumConnections: 64) {
            request, connection in
            switch door.admit(request, on: connection) {
            case .answered(let plan): return plan
            case .person(let person):
                let words = [person.name] + person.rights.map(\.rawValue).sorted()
                return .withoutBody(.answer(Response(status: 200, body: Array(words.joined(separator: " ").utf8))))
            }
        }
        let socket = try await listener.listen(host: "127.0.0.1", port: 0)
        let port = try #require(socket.localAddress?.port)
        func stop() async {
            // The only error here means that it is closed already.
            try? await socket.close()
            await listener.close()
        }
        do {
            try await body(DoorServer(port: port))
        } catch {
            await stop()
            throw error
        }
        await stop()
    }

    /// - Parameter lines: of the head, besides `Host`; one that begins with `Host:` stands in its place.
    func exchange(
        _ method: String = "GET", _ path: String = "/", _ lines: [String] = [], body: String? = nil
    ) async throws -> Client.Reply {
        let client = try Client(port: port)
        try await client.write(head(method, path, lines, length: body?.utf8.count) + (body ?? ""))
        return try await client.reply(toHEAD: method == "HEAD")
    }

    func head(_ method: String, _ path: String, _ lines: [String], length: Int?) -> String {
        let host = lines.contains { $0.hasPrefix("Host:") } ? [] : ["Host: 127.0.0.1:\(port)"]
        let length = length.map { ["Content-Length: \($0)"] } ?? []
        return (["\(method) \(path) HTTP/1.1"] + host + lines + length).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// As a form of a page of the console.
    func post(_ path: String, _ lines: [String] = [], _ body: String) async throws -> Client.Reply {
        try await exchange("POST", path, ["Sec-Fetch-Site: same-origin"] + lines, body: body)
    }

    func signIn(_ name: String, _ password: String, to: String = "/", _ lines: [String] = []) async throws
        -> Client.Reply
    {
        try await post("/sign-in", lines, "name=\(name)&password=\(password)&to=\(to)")
    }
}

extension Client.Reply {
    /// The header with which a browser sends back the cookie that it got.
    var cookie: String? { headers["set-cookie"].map { "Cookie: " + $0.prefix { $0 != ";" } } }
}

/// A clock that a test sets.
final class TestClock: Sendable {
    private let time: Mutex<Double>

    init(_ seconds: Double = 1_800_000_000) { time = Mutex(seconds) }

    var now: Double {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}
