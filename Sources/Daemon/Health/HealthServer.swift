import Concurrency
import Configuration
import HTTPServer
import NIOCore
import Signing
import Synchronization
import Telemetry

/// The small HTTP server beside a worker, for what watches the process: Kubernetes, Docker, a load balancer.
///
/// Answers GET and HEAD; health pages one request per connection, metrics as many as come. At most 16 KiB per header field,
/// and no bodies. When all connections (`Limits`) are taken, the one that has been idle longest is closed for the newcomer: a
/// client that opens connections and asks nothing keeps no probe out.
public final class HealthServer: Sendable {
    /// What a client may take. The defaults are those of SECURITY.md.
    struct Limits: Sendable {
        var connections = 64
        /// Seconds from the connection to the first byte.
        var firstByteSeconds = 5
        /// Seconds from the first byte of a request to its last.
        var requestSeconds = 30
        /// Seconds without traffic.
        var idleSeconds = 30
    }

    private let listener: Listener
    private let address: ListenAddress
    private let setting: String
    /// Whether it has health pages, or metrics alone.
    let hasHealth: Bool
    private let socket = Mutex<(any Channel)?>(nil)

    /// - Parameters:
    ///   - address: port 0: any free one.
    ///   - setting: the key that named it, for the error.
    ///   - metrics: served as `/metrics` where only this machine can ask, and elsewhere for those who bring `token`.
    ///     Default: there is no such page.
    ///   - token: what a request for the metrics brings from another machine; nil: no other machine gets them.
    ///   - report: makes the report; called for every request, on any thread. nil: there are no health pages.
    public convenience init(
        _ address: ListenAddress, setting: String = "console.listen", metrics: MetricsRegistry? = nil,
        token: Secret? = nil, report: (@Sendable (HealthProbe) -> HealthReport)?
    ) {
        self.init(address, setting: setting, metrics: metrics, token: token, limits: Limits(), report: report)
    }

    init(
        _ address: ListenAddress, setting: String = "console.listen", metrics: MetricsRegistry? = nil,
        token: Secret? = nil, limits: Limits, report: (@Sendable (HealthProbe) -> HealthReport)?
    ) {
        self.address = address
        self.setting = setting
        hasHealth = report != nil
        let isLoopback = address.isLoopback
        let read = metrics.map { metrics in
            { @Sendable (format: MetricsText.Format) in
                MetricsText.page(of: metrics.reading(now: SystemClock.monotonicSeconds()), in: format)
            }
        }
        let pages = HealthPage.Pages(
            isLoopback: isLoopback, metrics: isLoopback || token != nil ? read : nil,
            bearer: isLoopback ? nil : token, report: report)
        listener = Listener(
            idleSeconds: limits.idleSeconds, firstByteSeconds: limits.firstByteSeconds,
            requestSeconds: limits.requestSeconds, maximumConnections: limits.connections, whenFull: .closeIdle
        ) { request in .withoutBody(.answer(Self.response(HealthPage(request, of: pages)))) }
    }

    private static func response(_ page: HealthPage) -> Response {
        var response = Response(status: page.status.code, body: page.body)
        response.headers[.contentType] = page.type
        response.headers[.cacheControl] = "no-store"
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.allow] = page.allow
        response.headers[.wwwAuthenticate] = page.challenge
        // Probes come every few seconds: an open connection would save them nothing.
        response.closesConnection = !page.keepsConnection
        return response
    }

    /// Listens. Called once.
    ///
    /// - Returns: the address, with the port that is in use, once connections are accepted.
    /// - Throws: `HealthServerError` when the server cannot listen on the address.
    public func start() async throws(HealthServerError) -> ListenAddress {
        do {
            let channel = try await listener.listen(host: address.host, port: address.port)
            socket.withLock { $0 = channel }
            return ListenAddress(host: address.host, port: channel.localAddress?.port ?? address.port)
        } catch {
            throw HealthServerError(address: address, setting: setting, why: "\(error)")
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

/// Why there are no health pages, or no metrics.
public struct HealthServerError: Error, Sendable, Equatable, CustomStringConvertible {
    public let address: ListenAddress
    /// The key that named the address: `console.listen`.
    public let setting: String
    public let why: String

    public var description: String { "cannot listen on \(address): \(why)" }
}
