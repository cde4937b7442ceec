import CLibcurl

/// The requests of one connection group that wait, and the connections that may carry them. Confined to the loop thread.
final class HTTP2Group {
    /// What one look at a group asks the loop to do.
    enum Step {
        /// Submit the first request that waits, to this connection; it takes this many.
        case submit(HTTP2Connection, Int)
        /// Open a connection.
        case connect
        /// Nothing now: something will happen to one of the connections.
        case wait
    }

    let origin: HTTP2Origin
    private let limit: Int
    var queue = RequestQueue()
    private(set) var connections: [HTTP2Connection] = []
    /// The newest generation of its credential.
    private(set) var generation: Int64
    /// What further connections show.
    private(set) var identity: (any ClientIdentity)?
    /// What further connections resume; nil: none has been opened with this identity.
    private var sessions: TLSSessions?
    /// Until when none is opened, in nanoseconds.
    private var restsUntil: UInt64 = 0

    /// Nanoseconds between a connection that was of no use and the next one: many short ones look like an attack.
    private static let pause: UInt64 = 1_000_000_000

    /// - Parameters:
    ///   - first: of the first request.
    ///   - limit: connections that take requests, at most.
    init(_ origin: HTTP2Origin, _ first: ConnectionGroup, limit: Int) {
        self.origin = origin
        self.limit = limit
        generation = first.generation
        identity = first.identity
    }

    /// What a connection that shows `identity` resumes, and leaves to the next one.
    func lendSessions() throws(TransportError) -> TLSSessions {
        if let sessions { return sessions }
        let made = try TLSSessions()
        sessions = made
        return made
    }

    /// The server may be unable to resume what it has given out: the next connection offers nothing.
    func forgetSessions() { sessions = nil }

    func add(_ connection: HTTP2Connection) { connections.append(connection) }

    func remove(_ connection: HTTP2Connection) { connections.removeAll { $0 === connection } }

    /// A request has come. From a newer generation on older connections take no more, and further ones show its identity.
    ///
    /// - Returns: false: it names another identity than its generation has, so that one of both would leave as the other.
    func admits(_ wanted: ConnectionGroup) -> Bool {
        guard wanted.generation > generation else {
            return wanted.generation < generation || wanted.identity === identity
                || wanted.identity.map(\.certificate) == identity.map(\.certificate)
        }
        generation = wanted.generation
        identity = wanted.identity
        sessions = nil
        for connection in connections { connection.frames?.retire() }
        return true
    }

    /// A connection was of no use: the next one is not opened at once.
    func rest(at now: LoopTime) { restsUntil = now.monotonic &+ Self.pause }

    /// When to look again for what waits; nil: when something happens.
    ///
    /// - Parameter now: when it was last looked at: a time before that has had its effect, if it could have any.
    func deadline(after now: LoopTime) -> UInt64? { queue.count > 0 && restsUntil > now.monotonic ? restsUntil : nil }

    /// What to do for the first request that waits.
    ///
    /// The first connections are filled first, so that as few are open as are needed. A further one is opened only when all
    /// are full and none of them will grow by itself.
    func next(at now: LoopTime) -> Step {
        var taking = 0
        var grows = false
        for connection in connections {
            guard let frames = connection.frames else {
                // It is being opened, perhaps for an older generation.
                if connection.generation == generation { (taking, grows) = (taking + 1, true) }
                continue
            }
            switch frames.next(at: now) {
            case .take(let count): return .submit(connection, count)
            case .prove:
                frames.ping(at: now)
                (taking, grows) = (taking + 1, true)
            case .wait:
                taking += 1
                grows = grows || frames.state.isUnproven
            case .retired: break
            }
        }
        return !grows && taking < limit && now.monotonic >= restsUntil ? .connect : .wait
    }
}
