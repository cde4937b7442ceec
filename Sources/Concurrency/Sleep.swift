/// Waits, as a closure, so that a test can let the seconds pass at once.
///
/// Cancellation cuts a wait short and nothing is thrown: a caller looks again at what it waits for, and a loop at whether
/// to go on. What must not go on when it is cancelled calls `Task.sleep`, which throws.
public struct Sleep: Sendable {
    private let wait: @Sendable (_ seconds: Double) async -> Void

    public init(_ wait: @escaping @Sendable (_ seconds: Double) async -> Void) { self.wait = wait }

    /// Waits this many seconds. Returns at once for 0 and less.
    public func callAsFunction(_ seconds: Double) async { await wait(seconds) }

    public static let system = Sleep { seconds in try? await Task.sleep(for: .seconds(seconds)) }
}
