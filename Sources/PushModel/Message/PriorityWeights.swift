/// How the priority classes of one hub share its window while more than one of them waits. A class that does not wait
/// leaves its share to the others.
public struct PriorityWeights: Sendable, Equatable {
    /// 1 to 100, default 16.
    public var urgent: Int
    /// 1 to 100, default 4.
    public var normal: Int
    /// 1 to 100, default 1.
    public var bulk: Int

    public init(urgent: Int = 16, normal: Int = 4, bulk: Int = 1) {
        self.urgent = urgent
        self.normal = normal
        self.bulk = bulk
    }

    /// In the order of `Priority`.
    package var inOrder: [Int] { [urgent, normal, bulk] }
}
