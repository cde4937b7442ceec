import Foundation

/// How much of what could be tried at random is tried: every seed needs minutes, so each change gets some of them, and each
/// night all.
public enum TestDepth {
    /// FANFARE_TESTS=full, as in .ci/nightly.
    public static let isFull = ProcessInfo.processInfo.environment["FANFARE_TESTS"] == "full"

    public static func of<Value>(_ usual: Value, full: Value) -> Value { isFull ? full : usual }
}
