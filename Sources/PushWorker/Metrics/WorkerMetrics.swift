import HTTPTransport
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

    init(_ registry: MetricsRegistry) {
        claiming = registry.histogram(.claimDuration)
        writingIntents = registry.histogram(.intentDuration)
        completing = registry.histogram(.completionDuration)
        recorderFaults = registry.counter(.recorderFaults)
    }
}

extension HubContext {
    /// - Parameter now: monotonic seconds.
    func tell(_ reading: inout MetricsReading, now: Double) {
        let name = settings.name
        reading.add(Double(window.inFlight), to: .inFlightPosts, name)
        reading.set(Double(window.size), of: .windowPosts, name)
        reading.set(rate, of: .rateLimit, name)
        let state = gateState(now: now)
        for known in GateState.allCases { reading.set(known == state ? 1 : 0, of: .hubState, name, known.rawValue) }
        if let expiry = tokens.expiry { reading.set(Double(expiry), of: .tokenExpiry, name) }
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
    }

    private func gateState(now: Double) -> GateState {
        gate.read { state in
            if state.pausedBy != nil { return .paused }
            if state.held != nil { return .held }
            if state.breaker.openings > 0 { return .failing }
            return state.opens(after: now) > 0 ? .gateClosed : .open
        }
    }
}

extension Counters {
    func tell(_ reading: inout MetricsReading) {
        reading.add(Double(connectionsOpened), to: .transportConnections)
        reading.add(Double(requests), to: .transportRequests)
        reading.add(Double(silentResendsRefused), to: .transportResendsRefused)
        reading.add(cpuSeconds, to: .transportCPU)
    }
}
