import Synchronization

/// The options of a console while it is open: a reload replaces them from the next request on.
final class SharedOptions: Sendable {
    private let state: Mutex<ConsoleOptions>

    init(_ options: ConsoleOptions) { state = Mutex(options) }

    var current: ConsoleOptions { state.withLock { $0 } }

    func replace(_ options: ConsoleOptions) { state.withLock { $0 = options } }
}
