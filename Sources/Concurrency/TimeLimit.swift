/// Runs `body` for at most this long, then cancels it. Returns when `body` has returned: it has to end when cancelled.
package func withTimeLimit(_ limit: Duration, _ body: @escaping @Sendable () async -> Void) async {
    await withTaskGroup { group in
        group.addTask { await body() }
        group.addTask { try? await Task.sleep(for: limit) }  // fails only when `body` has ended
        await group.next()
        group.cancelAll()
    }
}
