/// Runs `body`, then `cleanup`, also when `body` throws. Swift 6.2 has no `await` in `defer`.
///
/// - Throws: what `body` throws.
public func withCleanup<Value, Fault: Error>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Fault) -> Value,
    then cleanup: () async -> Void
) async throws(Fault) -> Value {
    let outcome: Result<Value, Fault>
    do throws(Fault) {
        outcome = .success(try await body())
    } catch {
        outcome = .failure(error)
    }
    await cleanup()
    return try outcome.get()
}
