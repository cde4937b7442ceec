/// What a window keeps under its lock: places, who stands in line, and whose turn it is.
struct WindowState {
    struct Wish {
        let upTo: Int
        let atLeast: Int
    }

    struct Waiter {
        let id: UInt64
        let wish: Wish
        let continuation: CheckedContinuation<Int, Never>
    }

    var size = 1
    var inFlight = 0
    /// Of those in flight, places beyond what is guaranteed.
    var borrowed = 0
    /// What the rate still allows; nil: there is no rate.
    var allowance: Int?
    /// One for each lane.
    var lines: [[Waiter]]
    var nextID: UInt64 = 0
    /// Who asks the database for more allowance, while there is no need.
    var hungry: CheckedContinuation<Bool, Never>?
    var hasEnded = false

    /// What each lane has had, in places by weight, and how far the line as a whole has come. A lane that was away
    /// begins where the others are: it has saved nothing up.
    private var had: [Double]
    private var reached = 0.0

    init(lanes: Int) {
        lines = Array(repeating: [], count: lanes)
        had = Array(repeating: 0, count: lanes)
    }

    var waiting: Int { lines.reduce(0) { $0 + $1.count } }

    var isStarved: Bool { allowance == 0 && waiting > 0 }

    /// The lane whose turn it is: of those that wait, the one that has had least for its weight.
    var next: Int? {
        lines.indices.filter { !lines[$0].isEmpty }.min { turn($0) < turn($1) }
    }

    mutating func charge(_ lane: Int, _ places: Double) {
        reached = turn(lane)
        had[lane] = reached + places
    }

    private func turn(_ lane: Int) -> Double { max(had[lane], reached) }
}
