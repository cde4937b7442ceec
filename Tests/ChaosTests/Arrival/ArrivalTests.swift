import Testing

/// All interleavings of two writers of results, whose transactions may be prepared, a reader and a stranger.
@Suite struct ArrivalTests {
    /// Searches all reachable states, breadth first.
    private static func search(_ variant: ArrivalModel.Variant) -> (states: Int, broken: String?) {
        let model = ArrivalModel(variant: variant)
        let start = ArrivalModel.State(writers: [.idle, .idle])
        var known: Set<ArrivalModel.State> = [start]
        var queue = [start]
        while let state = queue.popLast() {
            for step in model.steps(from: state) {
                if let broken = step.broken { return (known.count, broken) }
                if known.insert(step.state).inserted { queue.append(step.state) }
            }
        }
        return (known.count, nil)
    }

    @Test func noInterleavingPassesAResultOrWaitsForAStranger() {
        let found = Self.search(.asBuilt)
        #expect(found.broken == nil)
        #expect(found.states > 1_000)  // a search that saw few states has proved little
        print("arrival model: \(found.states) states, nothing broken")
    }

    private static let broken: [(ArrivalModel.Variant, promise: String)] = [
        (.announcesLate, "a result is passed over"), (.showsLate, "a result is passed over"),
        (.readsHeadLast, "a result is passed over"), (.goesBySession, "a result is passed over"),
        (.believesStrangers, "a stranger holds a reader back"), (.waitsForItsKey, "a stranger holds a writer up"),
    ]

    @Test(arguments: broken)
    func everyPartIsNeeded(variant: ArrivalModel.Variant, promise: String) {
        #expect(Self.search(variant).broken == promise)
    }

    @Test func everyPartIsRemovedOnce() {
        #expect(Set(Self.broken.map(\.0)) == Set(ArrivalModel.Variant.allCases).subtracting([.asBuilt]))
    }
}
