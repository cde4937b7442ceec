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

    /// Places of some lanes.
    struct Pool {
        /// Granted and not yet released.
        var taken = 0
        /// Of these, places whose requests have not left yet.
        var kept = 0
        /// Of those kept, places that are not free yet: their requests leave as others are answered.
        var ahead = 0
        /// Callers with places that wait until they are free; each may let a number of requests leave.
        var departures = WaiterQueue<Int, Int>()

        /// Places that are free, or used by requests in flight.
        var used: Int { taken - ahead }
        /// How many requests may leave now.
        var mayLeave: Int { kept - ahead }
    }

    var size = 1
    /// Of the first lane, if it has places beyond the size, and of all others.
    var pools = [Pool(), Pool()]
    /// Places beyond the size, for the first lane alone.
    let mostExtra: Int
    /// Of the first pool's used places, those beyond the size.
    var extra = 0
    /// The most places that are ahead (`writeAhead`).
    var mostAhead = 0
    /// Of the used places that are not extra, those beyond what is guaranteed.
    var borrowed = 0
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

    init(lanes: Int, extra: Int = 0) {
        mostExtra = extra
        lines = Array(repeating: Line(), count: lanes)
        had = Array(repeating: 0, count: lanes)
    }

    var waiting: Int { lines.reduce(0) { $0 + $1.count } }

    var taken: Int { pools.reduce(0) { $0 + $1.taken } }
    var kept: Int { pools.reduce(0) { $0 + $1.kept } }
    var ahead: Int { pools.reduce(0) { $0 + $1.ahead } }

    /// Used places that count for the size.
    var used: Int { pools.reduce(-extra) { $0 + $1.used } }
    var free: Int { max(0, size - used) }

    /// Places that only the first lane may take. A window that begins anew has as few as it has others.
    var freeExtra: Int { max(0, min(mostExtra, size) - extra) }

    func pool(of lane: Int) -> Int { mostExtra > 0 && lane == 0 ? 0 : 1 }

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
