/// Waits, as a closure, so that a test can let the seconds pass at once.
///
/// Cancellation cuts a wait short: the loop that waits looks whether to go on.
struct Sleep: Sendable {
    private let wait: @Sendable (_ seconds: Double) async -> Void

    init(_ wait: @escaping @Sendable (_ seconds: Double) async -> Void) { self.wait = wait }

    func callAsFunction(_ seconds: Double) async { await wait(seconds) }

    static let system = Sleep { seconds in
        // Throws only when it was cut short.
        try? await Task.sleep(for: .seconds(seconds))
    }
}
