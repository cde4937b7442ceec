import HTTPServer
import NIOCore
import Synchronization
import Telemetry

/// The small HTTP server beside a worker, for what watches the process: Kubernetes, Docker, a load balancer.
///
/// Answers GET and HEAD; health pages one request per connection, metrics as many as come. Limits: 64 connections, 16 KiB
/// per header field, no bodies, 5 s to the first byte, 30 s for a request. When all 64 are taken, the one that has been
/// idle longest is closed for the newcomer: a client that opens connections and asks nothing keeps no probe out.
public final class HealthServer: Sendable {
    private let listener: Listener
    private let isLoopback: Bool
    private let host: String
    private let port: Int
    private let socket = Mutex<(any Channel)?>(nil)

    /// - Parameters:
    ///   - host: a name or an address; IPv6 without brackets.
    ///   - port: 0: any free one.
    ///   - metrics: served as `/metrics` where only this machine can ask. Default: there is no such page.
    ///   - report: makes the report; called for every request, on any thread.
    public init(
        host: String, port: Int, metrics: MetricsRegistry? = nil,
        report: @escaping @Sendable (HealthProbe) -> HealthReport
    ) {
        self.host = host
        self.port = port
        let isLoopback = HealthPage.isLoopback(host.contains(":") ? "[\(host)]" : host)
        self.isLoopback = isLoopback
        listener = Listener(
            idleSeconds: 30, firstByteSeconds: 5, requestSeconds: 30, maximumConnections: 64, whenFull: .closeIdle
        ) { request in
            let read = metrics.map { metrics in
                { MetricsText.page(of: metrics.reading(now: RateLimitedLog.monotonic()), in: $0) }
            }
            let page = HealthPage(
                request, isLoopback: isLoopback, metrics: isLoopback ? read : nil, report: report)
            return .withoutBody(.answer(Self.response(page)))
        }
    }

    private static func response(_ page: HealthPage) -> Response {
        var response = Response(status: page.status.code, body: page.body)
        response.headers[.contentType] = page.type
        response.headers[.cacheControl] = "no-store"
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.allow] = page.allow
        // Probes come every few seconds: an open connection would save them nothing.
        response.closesConnection = !page.keepsConnection
        return response
    }

    /// Listens, and returns the port once connections are accepted. Called once.
    ///
    /// - Throws: `HealthServerError` when the server cannot listen on the address.
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
        // The only error here means that it was closed already.
        try? await channel?.close()
        await listener.close()
    }
}

/// Why there are no health pages.
public struct HealthServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `host:port`.
    public let address: String
    public let why: String

    public var description: String { "cannot listen on \(address): \(why)" }
}
