/// Runs `body` for at most this long, then cancels it. Returns when `body` has returned: it has to end when cancelled.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async -> Value
) async -> Value {
    await withTaskGroup(of: Value?.self) { group in
        group.addTask { await body() }
        group.addTask {
            await Sleep.system(limit / .seconds(1))
            return nil
        }
        var value: Value?
        for await ended in group {
            if let ended { value = ended }
            group.cancelAll()
        }
        // The group has waited for `body`, which cannot throw.
        guard let value else { preconditionFailure("a body returns a value") }
        return value
    }
}
