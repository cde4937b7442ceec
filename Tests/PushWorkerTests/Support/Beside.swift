import Synchronization
import TestSupport

/// Something that runs beside a test. Unlike a child task it does not hang a test that is out of time.
final class Beside: Sendable {
    private let over = Atomic(false)

    init(_ body: @escaping @Sendable () async -> Void) {
        Task {
            await body()
            over.store(true, ordering: .sequentiallyConsistent)
        }
    }

    var isOver: Bool { over.load(ordering: .sequentiallyConsistent) }

    /// - Parameter what: names it when the test runs out of time.
    func untilOver(_ what: String) async throws { try await Awaited.until(what) { (isOver, isOver) } }
}
