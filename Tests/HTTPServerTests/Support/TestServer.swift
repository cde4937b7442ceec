import HTTPServer
import HTTPTypes
import NIOCore
import SocketSupport
import Synchronization
import Testing

/// A real server on a free loopback port.
struct TestServer: Sendable {
    /// Seconds that no test reaches, however long the machine lets it wait.
    static let patience = 600

    let listener: Listener
    /// The listening socket.
    let socket: any Channel
    let port: Int

    /// Runs a server for the duration of a test. By default it answers every request with what it understood: `echo`.
    static func run(
        idleSeconds: Int = patience, firstByteSeconds: Int? = nil, requestSeconds: Int = patience,
        maximumConnections: Int = 64, whenFull: Listener.WhenFull = .refuse, respond: @escaping Responder = echo,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let listener = Listener(
            idleSeconds: idleSeconds, firstByteSeconds: firstByteSeconds, requestSeconds: requestSeconds,
            maximumConnections: maximumConnections, whenFull: whenFull, respond: respond)
        let socket = try await listener.listen(host: "127.0.0.1", port: 0)
        let server = TestServer(
            listener: listener, socket: socket, port: try #require(socket.localAddress?.port))
        do {
            try await body(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    func stop() async {
        // The only error here means that it is closed already.
        try? await socket.close()
        await listener.close()
    }

    func client(sending beginning: String = "", receiveBuffer: Int32? = nil) throws -> Client {
        try Client(port: port, sending: beginning, receiveBuffer: receiveBuffer)
    }

    /// Returns when every connection is closed.
    func untilEmpty() async throws {
        while listener.connectionCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Sends one request on a new connection and returns the reply.
    func exchange(_ request: String) async throws -> Client.Reply {
        let client = try client()
        try await client.write(request)
        return try await client.reply()
    }

    /// Bytes of a body that `echo` takes.
    static let bodyLimit = 1_000

    /// `POST /path` and the body in brackets; 413 if it is larger than `bodyLimit`.
    static let echo: Responder = { request in
        .body(limit: bodyLimit) { body in
            guard let bytes = body.bytes else { return .answer(Response(status: 413)) }
            let line = "\(request.method.rawValue) \(request.path ?? "") [\(String(decoding: bytes, as: UTF8.self))]"
            return .answer(Response(status: 200, body: Array(line.utf8)))
        }
    }

    /// `GET /path`, with these header lines behind `Host`.
    static func get(_ path: String = "/", _ lines: String...) -> String {
        "GET \(path) HTTP/1.1\r\nHost: x\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// `POST /`, with these header lines behind `Host`; the length of the body is among them or not.
    static func post(_ lines: String..., body: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: x\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n" + body
    }
}
