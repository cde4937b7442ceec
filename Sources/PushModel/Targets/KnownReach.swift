/// How many devices a tag expression meant when somebody counted them at a hub.
public struct KnownReach: Sendable, Equatable {
    /// One tag, or an expression.
    public let expression: String
    /// Devices that it means, of those that were looked at.
    public let devices: Int64
    public let of: Int64
    /// Whether all were looked at.
    public let isWhole: Bool
    /// Seconds since 1970.
    public let countedAt: Double

    public init(_ expression: String, devices: Int64, of: Int64, isWhole: Bool, countedAt: Double) {
        (self.expression, self.devices, self.of) = (expression, devices, of)
        (self.isWhole, self.countedAt) = (isWhole, countedAt)
    }

    /// Whether all devices were looked at, and it means none of them.
    public var isNobody: Bool { devices == 0 && isWhole }
}

/// What was counted at one hub, by expression. Case, blanks and parentheses that change nothing do not count.
public struct ReachTable: Sendable {
    private var entries: [String: KnownReach] = [:]

    /// - Parameter counted: of several counts of one expression the newest is taken.
    public init(_ counted: [KnownReach] = []) {
        for reach in counted {
            guard let key = Self.key(reach.expression) else { continue }
            if let known = entries[key], known.countedAt >= reach.countedAt { continue }
            entries[key] = reach
        }
    }

    public var isEmpty: Bool { entries.isEmpty }

    /// nil: nobody has counted it, or it is no expression.
    public subscript(_ expression: String) -> KnownReach? {
        isEmpty ? nil : Self.key(expression).flatMap { entries[$0] }
    }

    private static func key(_ expression: String) -> String? {
        if TagExpression.isPlainTag(expression) { return expression.lowercased() }
        return (try? TagExpression(expression))?.description.lowercased()
    }
}
