/// What one HTTP/2 connection may do now: how many requests it may take, whether it has to prove itself first, when it ends.
/// Pure. All times are nanoseconds of a clock that never jumps.
struct ConnectionState {
    enum Step: Equatable {
        /// So many more requests may be submitted.
        case take(Int)
        /// Send a PING, and call `pinged`: nothing came for long, so it may be dead.
        case prove
        /// It takes a request later: when one ends, or proves it, or the PING is answered.
        case wait
        /// It takes no more.
        case retired
    }

    enum Due: Equatable {
        case nothing
        /// The PING was not answered, or the server did not greet us, or it allows no request for too long.
        case isDead
        /// It carries nothing any more, and is to be closed.
        case close
    }

    private let settings: HTTP2Settings
    private let bornAt: UInt64
    private var heardAt: UInt64
    /// Since when it has carried nothing.
    private var idleSince: UInt64
    private var pingedAt: UInt64?
    /// Until when the server has to greet us with its SETTINGS; nil: it has.
    private var greetsBy: UInt64?
    /// Until when the server has to allow requests again; nil: it allows some.
    private var opensBy: UInt64?
    /// Nanoseconds that each of both may take.
    private let patience: UInt64
    /// A request has been answered: before that the server may know nothing of us, and one has to do.
    private var isProven = false
    private(set) var isRetired = false
    /// MAX_CONCURRENT_STREAMS of the server.
    private var remoteStreams = 0
    private(set) var inFlight = 0
    /// Requests in a row that ended by their timeout.
    private var timeouts = 0

    /// - Parameter greetedWithin: how long the server's SETTINGS may take, and how long they may allow no request. Before them
    ///   nothing is sent: a server that refuses our certificate says so where they should be.
    init(_ settings: HTTP2Settings, greetedWithin: Duration, now: UInt64) {
        self.settings = settings
        patience = greetedWithin.nanoseconds
        greetsBy = now &+ patience
        bornAt = now
        heardAt = now
        idleSince = now
    }

    /// What a request that waits may expect.
    mutating func next(now: UInt64) -> Step {
        if now &- bornAt >= settings.wholeLife.nanoseconds { isRetired = true }
        if isRetired { return .retired }
        if pingedAt != nil || greetsBy != nil { return .wait }
        let free = min(isProven ? settings.streams : 1, remoteStreams) - inFlight
        guard free > 0 else { return .wait }
        return now &- heardAt >= settings.pingAfter.nanoseconds ? .prove : .take(free)
    }

    /// Whether it grows by itself: a further connection need not be opened yet.
    var isUnproven: Bool { !isProven || pingedAt != nil }

    /// Whether the server has ever spoken HTTP/2 on it.
    var isGreeted: Bool { greetsBy == nil }

    /// Whether a PING waits for its answer.
    var isPinged: Bool { pingedAt != nil }

    /// Whether the server allows no request at all.
    var isShut: Bool { opensBy != nil }

    /// What the server allows; nil: it has not greeted us.
    var allowed: Int? { isGreeted ? remoteStreams : nil }

    // MARK: What happened

    mutating func heard(now: UInt64) { heardAt = now }

    mutating func pinged(now: UInt64) { pingedAt = now }

    mutating func pingAnswered() { pingedAt = nil }

    /// The server's SETTINGS came, the first ones or later ones.
    mutating func greeted(streams: Int, now: UInt64) {
        greetsBy = nil
        opensBy = streams > 0 ? nil : opensBy ?? now &+ patience
        remoteStreams = streams
    }

    mutating func began() { inFlight += 1 }

    /// The stream of a request is closed at both ends.
    mutating func closed(now: UInt64) {
        inFlight -= 1
        if inFlight == 0 { idleSince = now }
    }

    mutating func answered() {
        isProven = true
        timeouts = 0
    }

    /// A request was given up. Its neighbours go on; after two in a row, without an answer between, only those do.
    mutating func timedOut() {
        timeouts += 1
        if timeouts >= 2 { isRetired = true }
    }

    /// The server sent GOAWAY, or its connection is not wanted any more.
    mutating func retire() { isRetired = true }

    // MARK: Time

    /// What is to be done at this time.
    func due(now: UInt64) -> Due {
        if let pingedAt, now &- pingedAt >= settings.pingTimeout.nanoseconds { return .isDead }
        if let greetsBy { return now >= greetsBy ? .isDead : .nothing }
        // What is open has a time of its own.
        guard inFlight == 0 else { return .nothing }
        if let opensBy, !isRetired, now >= opensBy { return .isDead }
        return isRetired || now &- idleSince >= settings.idleLife.nanoseconds ? .close : .nothing
    }

    /// When to ask `due` again; nil: not before something happens.
    var deadline: UInt64? {
        // Before that nothing else is due.
        if let greetsBy { return greetsBy }
        let ping = pingedAt.map { $0 &+ settings.pingTimeout.nanoseconds }
        let idle = inFlight == 0 ? idleSince &+ settings.idleLife.nanoseconds : nil
        return [ping, inFlight == 0 ? opensBy : nil, idle].compactMap(\.self).min()
    }
}

extension Duration {
    /// Whole nanoseconds; up to 584 years.
    var nanoseconds: UInt64 {
        UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds / 1_000_000_000)
    }
}
