import Store

/// What a device lane does next. Pure: events in, actions out.
///
/// One claim and one completion are under way at a time; while a completion is written, what finishes meanwhile gathers
/// for the next one. When it takes long, no more begins: what is not recorded is sent again after a crash.
struct DeviceFlow {
    enum Action {
        /// Claim at most this many devices.
        case claim(Int)
        /// Apply what waits for one device.
        case apply(ClaimedDevice)
        /// Record what became of these, and end their claims.
        case record([DeviceQueue.Finished])
    }

    /// Devices in flight at most.
    let window: Int
    private var waiting: ArraySlice<ClaimedDevice> = []
    private var finished: [DeviceQueue.Finished] = []
    private(set) var inFlight = 0
    private var isClaiming = false
    private var isRecording = false
    /// Whether another claim may find something.
    private var mayHaveMore = true
    /// Whether claims are held that nobody will apply: they have to be given back.
    private(set) var hasLeftovers = false

    init(window: Int) { self.window = window }

    /// Nothing is under way and nothing waits.
    var isOver: Bool { inFlight == 0 && !isClaiming && !isRecording && waiting.isEmpty && finished.isEmpty }

    /// All that can begin now. The caller carries out each action and reports its end.
    mutating func next() -> [Action] {
        var actions: [Action] = []
        if !isRecording, !finished.isEmpty {
            isRecording = true
            actions.append(.record(finished))
            finished = []
        }
        while inFlight < window, finished.count + inFlight < 3 * window, let device = waiting.popFirst() {
            inFlight += 1
            actions.append(.apply(device))
        }
        if !isClaiming, mayHaveMore, waiting.count < window {
            isClaiming = true
            actions.append(.claim(2 * window - waiting.count))
        }
        return actions
    }

    /// A claim has ended.
    ///
    /// - Parameter devices: empty: nothing is due.
    mutating func claimed(_ devices: [ClaimedDevice]) {
        isClaiming = false
        if devices.isEmpty { mayHaveMore = false }
        if mayHaveMore { waiting.append(contentsOf: devices) } else { hasLeftovers = hasLeftovers || !devices.isEmpty }
    }

    /// A claim has failed; it may exist all the same.
    mutating func claimFailed() {
        isClaiming = false
        stop()
        hasLeftovers = true
    }

    mutating func applied(_ device: DeviceQueue.Finished) {
        inFlight -= 1
        finished.append(device)
    }

    /// A completion has ended.
    ///
    /// - Parameter isWritten: false: it was given up, and its claims still stand.
    mutating func recorded(isWritten: Bool) {
        isRecording = false
        guard !isWritten else { return }
        stop()
        hasLeftovers = true
    }

    /// The hub closed for devices, or the worker stops: what has not begun stays due.
    mutating func stop() {
        mayHaveMore = false
        hasLeftovers = hasLeftovers || !waiting.isEmpty
        waiting = []
    }
}
