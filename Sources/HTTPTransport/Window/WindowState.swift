import Concurrency

/// What a window keeps under its lock: places, callers in line, and whose turn it is.
struct WindowState {
    struct Wish: Sendable {
        let upTo: Int
        let atLeast: Int
        /// Its requests leave by `leave`; until then the places are only kept for them.
        var isKept = false
    }

    /// The callers of one lane; each gets a number of places.
    typealias Line = WaiterQueue<Wish, Int>

    var size = 1
    /// Places granted and not yet released.
    var taken = 0
    /// Of these, places whose requests have not left yet.
    var kept = 0
    /// Of those kept, places that are not free yet: their requests leave as others are answered.
    var ahead = 0
    /// The most of them (`writeAhead`).
    var mostAhead = 0
    /// Of those that are not ahead, places beyond what is guaranteed.
    var borrowed = 0
    /// Callers with places that wait until they are free; each may let a number of requests leave.
    var departures = WaiterQueue<Int, Int>()
    /// Requests the rate still allows; nil: the hub has no rate.
    var allowance: Int?
    /// One for each lane.
    var lines: [Line]
    /// The task that gets more allowance from the database; it waits here until a caller needs some.
    var rateWaiter: CheckedContinuation<Bool, Never>?
    var hasEnded = false

    /// Places each lane has had, divided by its weight, and how far the lanes together have come. A lane that did not
    /// wait for some time begins where the others are: it saves nothing up.
    private var had: [Double]
    private var reached = 0.0

    init(lanes: Int) {
        lines = Array(repeating: Line(), count: lanes)
        had = Array(repeating: 0, count: lanes)
    }

    var waiting: Int { lines.reduce(0) { $0 + $1.count } }

    /// Places that are free, or used by requests in flight.
    var free: Int { size - (taken - ahead) }

    /// How many requests may leave now.
    var mayLeave: Int { kept - ahead }

    var isStarved: Bool { allowance == 0 && waiting > 0 }

    /// The lane whose turn it is: of those with callers in line, the one that has had least for its weight.
    var next: Int? {
        lines.indices.filter { !lines[$0].isEmpty }.min { turn($0) < turn($1) }
    }

    mutating func charge(_ lane: Int, _ places: Double) {
        reached = turn(lane)
        had[lane] = reached + places
    }

    private func turn(_ lane: Int) -> Double { max(had[lane], reached) }
}
