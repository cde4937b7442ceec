import Store

extension Hubs {
    /// Waits after a fault of the database; cut short when it is back, or the caller has to stop.
    ///
    /// - Parameter goesOn: asked four times a second.
    nonisolated(nonsending) func waitUntilBack(
        atMost seconds: Double, by clock: Clock, while goesOn: () -> Bool
    ) async {
        let until = clock.monotonic() + seconds
        while goesOn(), !Task.isCancelled {
            let left = until - clock.monotonic()
            guard left > 0, await !waitUntilBack(atMost: min(left, 0.25)) else { return }
        }
    }
}
