import NIOCore
import Synchronization

/// The connection that a request came on, as those who answer see it. Lives as long as the connection.
///
/// Call its methods where a `Responder` is called: on the connection's event loop.
public final class PeerConnection: Sendable {
    public let isHTTP2: Bool
    /// Who the client is by its certificate (`TLSLayer`), on a connection of HTTP/2. nil: it has shown none.
    public let clientName: String?
    /// The client's numeric address, without its port: `127.0.0.1`, `::1`. nil: the request was made in this process, or the
    /// client was gone before its connection was taken up.
    public let address: String?
    private let channel: (any Channel)?
    private let kept = Mutex<(any AnyObject & Sendable)?>(nil)

    init(_ channel: any Channel, isHTTP2: Bool, clientName: String? = nil) {
        self.channel = channel
        address = channel.remoteAddress.flatMap { Self.address(of: $0) }
        self.isHTTP2 = isHTTP2
        self.clientName = clientName
    }

    /// A connection of no client, for requests that are made in this process: nothing that it is asked for has an effect.
    public init(isHTTP2: Bool, clientName: String? = nil, address: String? = nil) {
        channel = nil
        self.address = address
        self.isHTTP2 = isHTTP2
        self.clientName = clientName
    }

    /// An IPv4 client of a socket that listens for both families is `::ffff:192.0.2.1` to that socket (RFC 4291 section
    /// 2.5.5.2); it is one client, so it has one name.
    static func address(of peer: SocketAddress) -> String? {
        let mapped = "::ffff:"
        guard let text = peer.ipAddress, text.hasPrefix(mapped), text.contains(".") else { return peer.ipAddress }
        return String(text.dropFirst(mapped.count))
    }

    /// What those who answer keep about the connection; made at the first call. All callers ask for one type.
    public func kept<Kept: AnyObject & Sendable>(_ make: () -> Kept) -> Kept {
        kept.withLock { kept in
            if let known = kept as? Kept { return known }
            let made = make()
            kept = made
            return made
        }
    }

    /// HTTP/2: how many streams the client may have open from now on (RFC 9113 section 6.5.2).
    public func limitStreams(to count: Int) { announce(.streams(count)) }

    /// HTTP/2: no request after those that were taken up is taken; they are answered, and then the connection is closed
    /// (RFC 9113 section 6.8).
    ///
    /// - Parameter reason: goes with it, for people who read it.
    public func goAway(reason: String) {
        guard isHTTP2, let channel else { return }
        announce(.goAway(reason: reason))
        channel.pipeline.fireUserInboundEventTriggered(MakeRoomEvent())
    }

    /// HTTP/2: no PING is answered any more, as if the client's frames were lost.
    public func ignorePings() { announce(.silentPings) }

    private func announce(_ event: ConnectionEvent) {
        if isHTTP2 { channel?.triggerUserOutboundEvent(event, promise: nil) }
    }
}

/// What the framing of a connection is asked to do, as an outbound event in its pipeline.
public enum ConnectionEvent: Sendable, Equatable {
    /// SETTINGS with this MAX_CONCURRENT_STREAMS.
    case streams(Int)
    /// GOAWAY with the last stream that was taken up, and NO_ERROR.
    case goAway(reason: String)
    /// No PING is answered any more.
    case silentPings
}

/// What the framing of a stream is asked to do, as an outbound event in its pipeline: RST_STREAM with this code
/// (RFC 9113 section 7).
public struct StreamReset: Sendable, Equatable {
    public let code: UInt32
}
