/// How the process fares, in the answers to some questions. Pure.
public struct HealthReport: Sendable, Equatable {
    public struct Check: Sendable, Equatable {
        /// `database`.
        public var name: String
        public var isGood: Bool
        /// For people: `answered 0.4 s ago`. Holds no secret.
        public var says: String

        public init(_ name: String, isGood: Bool, says: String) {
            self.name = name
            self.isGood = isGood
            self.says = says
        }
    }

    public var checks: [Check]

    public init(_ checks: [Check]) { self.checks = checks }

    /// Whether every check is.
    public var isGood: Bool { checks.allSatisfy(\.isGood) }
}

/// The questions of a cluster (Kubernetes' own API has the same three).
public enum HealthProbe: String, Sendable, CaseIterable {
    /// Shall the process be ended and begun anew? Says nothing about databases and hubs: a new process would have the same.
    case livez
    /// Does it work now?
    case readyz
    /// Has it worked since it began?
    case startupz
}
