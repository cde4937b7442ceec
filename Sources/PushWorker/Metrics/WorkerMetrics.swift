import HTTPTransport
import Postgres
import Telemetry

/// What is counted of a worker as a whole.
struct WorkerMetrics: Sendable {
    /// Seconds of a statement that claims.
    let claiming: Histogram
    /// Seconds of a statement that writes intents, with its wait for others that go with it.
    let writingIntents: Histogram
    /// Seconds of a statement that records results.
    let completing: Histogram
    /// Tries to record results that failed.
    let recorderFaults: Counter
    /// Dead workers whose claims this worker took.
    let rescues: Counter
    /// Looks at what is pending that failed or took too long.
    let pulseFailures: Counter

    init(_ registry: MetricsRegistry) {
        claiming = registry.histogram(.claimDuration)
        writingIntents = registry.histogram(.intentDuration)
        completing = registry.histogram(.completionDuration)
        recorderFaults = registry.counter(.recorderFaults)
        rescues = registry.counter(.rescues)
        pulseFailures = registry.counter(.pulseFailures)
    }
}

extension HubContext {
    /// - Parameter now: monotonic seconds.
    func collect(into reading: inout MetricsReading, now: Double) {
        let name = settings.name
        reading.add(Double(window.inFlight), to: .inFlightPosts, name)
        reading.set(Double(window.size), of: .windowPosts, name)
        reading.set(rate, of: .rateLimit, name)
        reading.set(1, of: .hubInfo, name, settings.kind.rawValue)
        let state = gateState(now: now)
        for known in GateState.allCases { reading.set(known == state ? 1 : 0, of: .hubState, name, known.rawValue) }
        reading.add(gate.read { $0.closed.seconds(now: now) }, to: .gateWait, name)
        if let expiry = passes.certificateExpiry {
            reading.set(Double(expiry), of: .certificateExpiry, name)
        } else if let expiry = passes.expiry {
            reading.set(Double(expiry), of: .tokenExpiry, name)
        }
        reading.add(Double(passes.issued), to: .tokenSignings, name)
        if let seconds = clockSkew.seconds { reading.set(seconds, of: .clockSkew, name) }
    }

    /// What a hub is, for metrics: exactly one of these.
    enum GateState: String, CaseIterable {
        case open
        /// The hub asked everybody to wait.
        case gateClosed = "gate_closed"
        /// Nothing gets through.
        case failing
        /// It refuses us.
        case held
        /// A person paused it.
        case paused
        /// This worker has no pass for it.
        case noPass = "no_pass"
    }

    private func gateState(now: Double) -> GateState {
        gate.read { state in
            if state.pausedBy != nil { return .paused }
            if state.held != nil { return .held }
            if state.breaker.openings > 0 { return .failing }
            if state.withoutPass != nil { return .noPass }
            return state.opens(after: now) > 0 ? .gateClosed : .open
        }
    }
}

extension RecorderState {
    /// - Parameter now: monotonic seconds.
    func collect(into reading: inout MetricsReading, now: Double) {
        let (entries, since, lanes) = read()
        reading.add(Double(entries), to: .unwrittenResults)
        reading.add(since.map { max(0, now - $0) } ?? 0, to: .oldestUnwritten)
        reading.add(Double(lanes), to: .lanesWaiting)
    }
}

extension DeviceLane {
    func collect(into reading: inout MetricsReading) {
        reading.add(Double(health.counts.refused), to: .devicesRefused, hub.settings.name)
    }
}

extension Database {
    /// - Parameter others: more clients of the same database, which count faults together with this one.
    func collect(into reading: inout MetricsReading, with others: Database...) {
        let open = ([self] + others).reduce(0) { $0 + $1.use.out + $1.use.ready }
        reading.add(Double(open), to: .databaseConnections)
        let faults = self.faults
        reading.add(Double(faults.reconnects), to: .databaseReconnects)
        for (name, n) in faults.errors { reading.add(Double(n), to: .databaseErrors, name) }
    }
}

extension Counters {
    func collect(into reading: inout MetricsReading) {
        reading.add(Double(connectionsOpened), to: .transportConnections)
        reading.add(Double(requests), to: .transportRequests)
        reading.add(Double(silentResendsRefused), to: .transportResendsRefused)
        reading.add(cpuSeconds, to: .transportCPU)
        reading.add(Double(http2Connections), to: .http2Connections)
        reading.add(Double(http2Streams), to: .http2Streams)
        reading.add(Double(goAways), to: .http2GoAways)
        reading.add(Double(refusedStreams), to: .http2RefusedStreams)
        reading.add(Double(pings), to: .http2Pings)
    }
}
