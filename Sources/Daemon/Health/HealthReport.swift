/// The health of the process as a list of checks. Pure.
public struct HealthReport: Sendable, Equatable {
    public struct Check: Sendable, Equatable {
        /// `database`.
        public var name: String
        public var isGood: Bool
        /// For people: `answered 0.4 s ago`. Holds no secrets.
        public var says: String

        public init(_ name: String, isGood: Bool, says: String) {
            self.name = name
            self.isGood = isGood
            self.says = says
        }
    }

    public var checks: [Check]

    public init(_ checks: [Check]) { self.checks = checks }

    /// Whether every check is good.
    public var isGood: Bool { checks.allSatisfy(\.isGood) }
}

/// The health pages, named as those of the Kubernetes API.
public enum HealthProbe: String, Sendable, CaseIterable {
    /// Does the process need a restart? Ignores databases and hubs, because a restart does not change them.
    case livez
    /// Does it work now?
    case readyz
    /// Has it worked since it started?
    case startupz
}
