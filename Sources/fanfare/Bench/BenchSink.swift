import HTTPServer
import HTTPTypes
import NIOCore
import PushWorker
import Signing
import Synchronization

/// What a bench posts to: an HTTP server in this process that accepts every notification as a hub does, and remembers when
/// each one arrived. It checks nothing: signing a token costs the worker the same.
struct BenchSink: Sendable {
    /// Seconds since 1970, in the order of arrival.
    private final class Arrivals: Sendable {
        let times = Mutex<[Double]>([])
    }

    private let arrivals: Arrivals
    private let listener: Listener
    private let socket: any Channel
    private let port: Int

    /// Listens on a free port of loopback.
    ///
    /// - Throws: when no port is free.
    static func start() async throws -> BenchSink {
        let arrivals = Arrivals()
        let listener = Listener(idleSeconds: 120, maximumConnections: 1_024) { _ in
            .body(limit: 65_536) { _ in
                let at = Clock.system.wall()
                let number = arrivals.times.withLock { times in
                    times.append(at)
                    return times.count
                }
                return .answer(accepted(number))
            }
        }
        let socket = try await listener.listen(host: "127.0.0.1", port: 0)
        return BenchSink(
            arrivals: arrivals, listener: listener, socket: socket, port: socket.localAddress?.port ?? 0)
    }

    /// The answer of a hub of the standard tier: 201 with the ids a worker writes down (docs/wire/notification-hubs.md).
    private static func accepted(_ number: Int) -> Response {
        var response = Response(status: 201)
        response.headers[.location] = "http://127.0.0.1/bench/messages/\(number)?api-version=2020-06"
        response.headers[.trackingID] = "bench-\(number)"
        return response
    }

    /// For the worker; the key protects nothing.
    var connectionString: Secret {
        Secret("Endpoint=http://127.0.0.1:\(port)/;SharedAccessKeyName=bench;SharedAccessKey=YmVuY2g=")
    }

    /// Notifications that have arrived.
    var count: Int { arrivals.times.withLock { $0.count } }

    /// When the first one after the `before` first ones arrived; nil: it has not.
    func arrival(after before: Int) -> Double? {
        arrivals.times.withLock { before < $0.count ? $0[before] : nil }
    }

    func stop() async {
        // The one error there is says that it was closed already.
        try? await socket.close()
        await listener.close()
    }
}

extension HTTPField.Name {
    // A literal that is a valid name.
    fileprivate static let trackingID = HTTPField.Name("TrackingId")!
}
