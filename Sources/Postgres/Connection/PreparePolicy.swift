import Synchronization

/// Whether statements are prepared. Shared by all connections of a database: what one of them learns about a pooler
/// holds for all.
final class PreparePolicy: Sendable {
    private let on: Atomic<Bool>

    init(_ mode: DatabaseSettings.Prepare) { on = Atomic(mode == .auto) }

    var isOn: Bool { on.load(ordering: .relaxed) }

    /// For good: a pooler does not go away.
    func turnOff() { on.store(false, ordering: .relaxed) }
}
