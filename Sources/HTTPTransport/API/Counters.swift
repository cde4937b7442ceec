import Synchronization

/// What the loop of an `HTTPClient` has done since it started, and what it holds now.
public struct Counters: Sendable, Equatable {
    /// Requests handed to libcurl.
    public var requests = 0
    public var answered = 0
    /// Requests of which certainly nothing left, including those that never reached libcurl.
    public var notSent = 0
    public var unknown = 0
    /// Times libcurl was about to send a request again on its own, and was stopped.
    public var silentResendsRefused = 0
    /// Sockets opened, including those whose connection was refused.
    public var connectionsOpened = 0
    /// Calls of `epoll_ctl`: none in steady state.
    public var epollChanges = 0
    /// Calls of `epoll_ctl` that failed; that request ends by its timeout.
    public var epollFailures = 0
    /// Times a submission woke the sleeping loop.
    public var wakeUps = 0
    /// Turns of the loop.
    public var turns = 0
    /// Requests on the wire now.
    public var inFlight = 0
    /// Requests waiting for a slot now, as of the loop's last turn.
    public var queued = 0
    /// HTTP/2 connections now, also those that take no more requests.
    public var http2Connections = 0
    /// Requests on HTTP/2 connections now.
    public var http2Streams = 0
    /// GOAWAY frames that came.
    public var goAways = 0
    /// Requests that a server refused without processing them, by REFUSED_STREAM or by a GOAWAY.
    public var refusedStreams = 0
    /// PINGs sent to connections that had been silent.
    public var pings = 0
    /// CPU seconds the loop thread has used.
    public var cpuSeconds = 0.0
}

extension Counters {
    public static func += (sum: inout Counters, more: Counters) {
        sum.requests += more.requests
        sum.answered += more.answered
        sum.notSent += more.notSent
        sum.unknown += more.unknown
        sum.silentResendsRefused += more.silentResendsRefused
        sum.connectionsOpened += more.connectionsOpened
        sum.epollChanges += more.epollChanges
        sum.epollFailures += more.epollFailures
        sum.wakeUps += more.wakeUps
        sum.turns += more.turns
        sum.inFlight += more.inFlight
        sum.queued += more.queued
        sum.http2Connections += more.http2Connections
        sum.http2Streams += more.http2Streams
        sum.goAways += more.goAways
        sum.refusedStreams += more.refusedStreams
        sum.pings += more.pings
        sum.cpuSeconds += more.cpuSeconds
    }
}

/// The same numbers, where the loop counts and any thread reads them.
final class AtomicCounters: Sendable {
    let requests = Atomic<Int>(0)
    let answered = Atomic<Int>(0)
    let notSent = Atomic<Int>(0)
    let unknown = Atomic<Int>(0)
    let silentResendsRefused = Atomic<Int>(0)
    let connectionsOpened = Atomic<Int>(0)
    let epollChanges = Atomic<Int>(0)
    let epollFailures = Atomic<Int>(0)
    let wakeUps = Atomic<Int>(0)
    let turns = Atomic<Int>(0)
    let inFlight = Atomic<Int>(0)
    let queued = Atomic<Int>(0)
    let http2Connections = Atomic<Int>(0)
    let http2Streams = Atomic<Int>(0)
    let goAways = Atomic<Int>(0)
    let refusedStreams = Atomic<Int>(0)
    let pings = Atomic<Int>(0)

    func count(_ reply: Reply) {
        switch reply.outcome {
        case .answered: answered.add(1, ordering: .relaxed)
        case .notSent: notSent.add(1, ordering: .relaxed)
        case .unknown: unknown.add(1, ordering: .relaxed)
        }
    }

    func counters(cpuSeconds: Double) -> Counters {
        Counters(
            requests: requests.load(ordering: .relaxed), answered: answered.load(ordering: .relaxed),
            notSent: notSent.load(ordering: .relaxed), unknown: unknown.load(ordering: .relaxed),
            silentResendsRefused: silentResendsRefused.load(ordering: .relaxed),
            connectionsOpened: connectionsOpened.load(ordering: .relaxed),
            epollChanges: epollChanges.load(ordering: .relaxed), epollFailures: epollFailures.load(ordering: .relaxed),
            wakeUps: wakeUps.load(ordering: .relaxed), turns: turns.load(ordering: .relaxed),
            inFlight: inFlight.load(ordering: .relaxed), queued: queued.load(ordering: .relaxed),
            http2Connections: http2Connections.load(ordering: .relaxed),
            http2Streams: http2Streams.load(ordering: .relaxed), goAways: goAways.load(ordering: .relaxed),
            refusedStreams: refusedStreams.load(ordering: .relaxed), pings: pings.load(ordering: .relaxed),
            cpuSeconds: cpuSeconds)
    }
}
