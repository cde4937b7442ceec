import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// The small HTTP server beside a worker: health, for those who decide whether the process may go on.
///
/// Answers GET and HEAD, one request for each connection. Bounded: 64 connections, 16 KiB per header field, no bodies, 30 s
/// without traffic.
public final class ConsoleServer: Sendable {
    private let listener: Listener
    private let isLoopback: Bool
    private let host: String
    private let port: Int
    private let socket = Mutex<(any Channel)?>(nil)

    /// - Parameters:
    ///   - host: a name or an address; IPv6 without brackets.
    ///   - port: 0: any free one.
    ///   - report: how the process fares; called for every request, on any thread.
    public init(
        host: String, port: Int, logger: Logger, report: @escaping @Sendable (HealthProbe) -> HealthReport
    ) {
        self.host = host
        self.port = port
        let isLoopback = HealthPage.isLoopback(host.contains(":") ? "[\(host)]" : host)
        self.isLoopback = isLoopback
        listener = Listener(idleSeconds: 30, maximumConnections: 64, logger: logger) { request, writer, _ in
            try await Self.answer(
                HealthPage(request.head, isLoopback: isLoopback, report: report), to: request.method, writer)
        }
    }

    /// The connection has had its answer. Thrown, because that is how a responder ends one.
    private struct Done: Error {}

    private static func answer(
        _ page: HealthPage, to method: HTTPRequest.Method, _ writer: consuming ResponseWriter
    ) async throws {
        var head = HTTPResponse(status: page.status)
        head.headerFields[.contentType] = page.type
        head.headerFields[.contentLength] = "\(page.body.utf8.count)"
        head.headerFields[.cacheControl] = "no-store"
        head.headerFields[.xContentTypeOptions] = "nosniff"
        head.headerFields[.allow] = page.allow
        // Those who ask for health come once in a while; and a body that was not read would be taken for a request.
        head.headerFields[.connection] = "close"
        let body = method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(string: page.body))
        try await writer.write(response: head, body: body)
        throw Done()
    }

    /// Listens, and returns the port once connections are taken. To be called once.
    ///
    /// - Throws: `ConsoleError` when the address cannot be listened on.
    public func start() async throws(ConsoleError) -> Int {
        do {
            let channel = try await listener.listen(host: host, port: port)
            socket.withLock { $0 = channel }
            return channel.localAddress?.port ?? port
        } catch {
            throw ConsoleError(address: host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)", why: "\(error)")
        }
    }

    /// Closes every connection and returns when the port is free.
    public func stop() async {
        let channel = socket.withLock { $0 }
        // The one error there is says that it was closed already.
        try? await channel?.close()
        await listener.close()
    }
}

/// Why nobody will get an answer.
public struct ConsoleError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `host:port`.
    public let address: String
    public let why: String

    public var description: String { "cannot listen on \(address): \(why)" }
}
