import PushModel

/// Which faults come when. The same for the same seed, length and kinds.
public struct FaultPlan: Sendable, Equatable {
    public let injections: [InjectedFault]

    /// - Parameters:
    ///   - seconds: during which faults begin.
    ///   - workers: at least 1.
    ///   - leaseSeconds: a pause past the lease is longer than this.
    ///   - kinds: which may come; each comes at least once if there is time, in a random order, then by weight.
    public init(
        seed: UInt64, seconds: Double, workers: Int, leaseSeconds: Double,
        kinds: [InjectedFault.Kind] = InjectedFault.Kind.allCases
    ) {
        var random = SeededRandom(seed: seed)
        var first = kinds.shuffled(using: &random)
        let weighted = kinds.flatMap { Array(repeating: $0, count: $0.weight) }
        var injections: [InjectedFault] = []
        var at = 1.0
        while at < seconds, !weighted.isEmpty {
            let kind = first.popLast() ?? weighted.randomElement(using: &random) ?? kinds[0]
            let lasts =
                switch kind {
                case .pauseWorker: leaseSeconds * 1.6 + Double.random(in: 0...4, using: &random)
                case .pauseBriefly: Double.random(in: 0.1...(leaseSeconds / 2), using: &random)
                // Longer than an access token may still serve.
                case .tokenEndpoint: Double.random(in: 3...8, using: &random)
                default: Double.random(in: 0.5...3, using: &random)
                }
            let injection = InjectedFault(
                kind: kind, at: at, lasts: lasts, worker: Int.random(in: 0..<workers, using: &random),
                seed: random.next())
            // The end of a run is not put off by it.
            if kind.aftermath == 0 || at + lasts + kind.aftermath < seconds { injections.append(injection) }
            at += Double.random(in: 0.4...2.6, using: &random)
        }
        self.injections = injections
    }
}
