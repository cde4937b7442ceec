import PushModel

/// How a clock differs from the hub's, in words. Pure.
enum ClockSkew {
    /// - Parameter seconds: ahead of the hub's; nil: not known.
    static func words(_ seconds: Double?) -> String {
        guard let seconds, seconds.isFinite else { return "not known" }
        guard abs(seconds) >= 0.5 else { return "less than a second" }
        return "\(HumanFormat.time(milliseconds: abs(seconds) * 1000)) \(seconds > 0 ? "ahead of" : "behind") the hub's"
    }
}
