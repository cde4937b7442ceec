import Concurrency

/// What a window keeps under its lock: places, callers in line, and whose turn it is.
struct WindowState {
    struct Wish: Sendable {
        let upTo: Int
        let atLeast: Int
    }

    /// The callers of one lane; each gets a number of places.
    typealias Line = WaiterQueue<Wish, Int>

    var size = 1
    var inFlight = 0
    /// Of those in flight, places beyond what is guaranteed.
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

    init(lanes: Int) {
        lines = Array(repeating: Line(), count: lanes)
        had = Array(repeating: 0, count: lanes)
    }

    var waiting: Int { lines.reduce(0) { $0 + $1.count } }

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
