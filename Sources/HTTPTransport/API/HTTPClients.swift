/// The clients that one worker or command needs: one for HTTP/1.1, and one for each set of HTTP/2 settings that a service asks
/// for. Each has a thread of its own.
public final class HTTPClients: Sendable {
    /// Speaks HTTP/1.1.
    public let http1: HTTPClient
    private let http2: [HTTP2Settings: HTTPClient]

    /// Starts all of them.
    ///
    /// - Parameters:
    ///   - settings: of each.
    ///   - http2: what services ask for; nil stands for HTTP/1.1.
    /// - Throws: as `HTTPClient`.
    public init(_ settings: TransportSettings, http2: [HTTP2Settings?]) throws(TransportError) {
        http1 = try HTTPClient(settings)
        var clients: [HTTP2Settings: HTTPClient] = [:]
        for case let wanted? in Set(http2) {
            var settings = settings
            settings.http2 = wanted
            clients[wanted] = try HTTPClient(settings)
        }
        self.http2 = clients
    }

    /// The client for these settings, which were given to `init`; nil: for HTTP/1.1.
    public func client(_ settings: HTTP2Settings?) -> HTTPClient {
        guard let settings else { return http1 }
        // Only a fault of the caller's code gets here: posting over HTTP/1.1 instead would hide it as refusals of a hub.
        guard let client = http2[settings] else { preconditionFailure("no client was made for \(settings)") }
        return client
    }

    private var all: [HTTPClient] { [http1] + http2.values }

    /// The sums of all.
    public var counters: Counters { all.reduce(into: Counters()) { $0 += $1.counters } }

    /// The HTTP/2 connections that are open now.
    public func connections() async -> [HTTP2Facts] {
        var facts: [HTTP2Facts] = []
        for client in http2.values { facts += await client.connections() }
        return facts
    }

    /// As `HTTPClient.turn`, of each.
    public func turn() async { for client in all { await client.turn() } }

    /// As `HTTPClient.shutdown`, of each.
    public func shutdown() async { for client in all { await client.shutdown() } }
}
