import PushModel

/// When a campaign is disturbed: by how much of its audience the hub has. The same for the same seed.
public struct DisturbancePlan: Sendable, Equatable {
    public enum Disturbance: String, Sendable, CaseIterable {
        case killOne = "kill -9 of a worker"
        case killAll = "kill -9 of all workers"
        case stopDatabase = "database restart, immediate"
    }

    public struct Moment: Sendable, Equatable {
        public var disturbance: Disturbance
        /// 0 to 1.
        public var share: Double
    }

    /// In their order.
    public let moments: [Moment]
    /// Which worker is killed alone.
    public let worker: Int

    public init(seed: UInt64, workers: Int) {
        var random = SeededRandom(seed: seed)
        moments = [
            Moment(disturbance: .killOne, share: Double.random(in: 0.2...0.4, using: &random)),
            Moment(disturbance: .killAll, share: Double.random(in: 0.5...0.7, using: &random)),
            Moment(disturbance: .stopDatabase, share: Double.random(in: 0.75...0.85, using: &random)),
        ]
        worker = Int.random(in: 0..<workers, using: &random)
    }
}
