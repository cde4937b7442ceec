import HTTPServer
import NIOCore
import Synchronization

/// The small HTTP server beside a worker: health, for those who decide whether the process may go on.
///
/// Answers GET and HEAD, one request for each connection. Bounded: 64 connections, 16 KiB per header field, no bodies, 30 s
/// without traffic.
public final class HealthServer: Sendable {
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
        host: String, port: Int, report: @escaping @Sendable (HealthProbe) -> HealthReport
    ) {
        self.host = host
        self.port = port
        let isLoopback = HealthPage.isLoopback(host.contains(":") ? "[\(host)]" : host)
        self.isLoopback = isLoopback
        listener = Listener(idleSeconds: 30, requestSeconds: 30, maximumConnections: 64) { request in
            let page = HealthPage(request, isLoopback: isLoopback, report: report)
            return .withoutBody(.answer(Self.answer(page)))
        }
    }

    private static func answer(_ page: HealthPage) -> Response {
        var answer = Response(status: page.status.code, body: Array(page.body.utf8))
        answer.headers[.contentType] = page.type
        answer.headers[.cacheControl] = "no-store"
        answer.headers[.xContentTypeOptions] = "nosniff"
        answer.headers[.allow] = page.allow
        // Those who ask for health come once in a while.
        answer.closesConnection = true
        return answer
    }

    /// Listens, and returns the port once connections are taken. To be called once.
    ///
    /// - Throws: `HealthServerError` when the address cannot be listened on.
    public func start() async throws(HealthServerError) -> Int {
        do {
            let channel = try await listener.listen(host: host, port: port)
            socket.withLock { $0 = channel }
            return channel.localAddress?.port ?? port
        } catch {
            throw HealthServerError(
                address: host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)", why: "\(error)")
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
public struct HealthServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `host:port`.
    public let address: String
    public let why: String

    public var description: String { "cannot listen on \(address): \(why)" }
}
