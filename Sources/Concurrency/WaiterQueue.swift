import Synchronization

/// Tasks that wait for something, in order of arrival, each with what it asks for (`Void` when all ask for the same).
///
/// It is a value without a lock of its own: its owner keeps it under the lock that guards what the tasks wait for, so
/// waiting costs no second lock. A waiter leaves the queue before it is resumed, and is resumed after the lock is
/// released:
///
/// ```swift
/// let place = await WaiterQueue.wait(whenCancelled: nil) { waiter in
///     state.withLock { state in
///         if let place = state.free.popLast() { return place }  // no need to wait
///         state.waiting.append(waiter)
///         return nil
///     }
/// } remove: { id in
///     state.withLock { $0.waiting.remove(id) }
/// }
/// ```
package struct WaiterQueue<Request: Sendable, Value: Sendable>: Sendable {
    package typealias ID = UInt64

    /// One task that waits. The code that takes it out of the queue resumes it, exactly once.
    package struct Waiter: Sendable {
        package let request: Request
        @usableFromInline let id: ID
        @usableFromInline let continuation: CheckedContinuation<Value, Never>

        @usableFromInline
        init(request: Request, id: ID, continuation: CheckedContinuation<Value, Never>) {
            self.request = request
            self.id = id
            self.continuation = continuation
        }

        @inlinable
        package func resume(returning value: Value) { continuation.resume(returning: value) }
    }

    @usableFromInline var waiters: [Waiter] = []

    @inlinable
    package init() {}

    @inlinable
    package var count: Int { waiters.count }

    @inlinable
    package var isEmpty: Bool { waiters.isEmpty }

    /// What the task that has waited longest asks for.
    @inlinable
    package var first: Request? { waiters.first?.request }

    @inlinable
    package mutating func append(_ waiter: Waiter) { waiters.append(waiter) }

    /// Takes out the task that has waited longest.
    @inlinable
    package mutating func popFirst() -> Waiter? { waiters.isEmpty ? nil : waiters.removeFirst() }

    /// Takes out every task whose request is met.
    @inlinable
    package mutating func popAll(where isMet: (Request) -> Bool) -> [Waiter] {
        guard !waiters.isEmpty else { return [] }
        let met = waiters.filter { isMet($0.request) }
        if !met.isEmpty { waiters.removeAll { isMet($0.request) } }
        return met
    }

    /// Takes out every task.
    @inlinable
    package mutating func popAll() -> [Waiter] {
        defer { waiters = [] }
        return waiters
    }

    /// Takes out one task; nil when it has been taken out before.
    @inlinable
    package mutating func remove(_ id: ID) -> Waiter? {
        waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0) }
    }
}

extension WaiterQueue {
    /// Waits until another task resumes the waiter, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - request: what the task asks for.
    ///   - cancelled: returned when the task is cancelled before it is resumed.
    ///   - enqueue: called once, under no lock: appends the waiter under the owner's lock, or returns a value when
    ///     there is no need to wait.
    ///   - remove: takes the waiter out of the queue, under the owner's lock. Called from any thread.
    @inlinable
    package nonisolated(nonsending) static func wait(
        for request: Request, whenCancelled cancelled: Value, enqueue: (Waiter) -> Value?,
        remove: @Sendable (ID) -> Waiter?
    ) async -> Value {
        let id = WaiterNumber.next()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: cancelled) }
                if let now = enqueue(Waiter(request: request, id: id, continuation: continuation)) {
                    continuation.resume(returning: now)
                } else if Task.isCancelled {
                    // The handler below may have run before the waiter was in the queue.
                    remove(id)?.resume(returning: cancelled)
                }
            }
        } onCancel: {
            remove(id)?.resume(returning: cancelled)
        }
    }

    /// Waits until another task resumes the waiter. Cancelling the task does not end the wait.
    @inlinable
    package nonisolated(nonsending) static func wait(for request: Request, enqueue: (Waiter) -> Value?) async -> Value {
        await withCheckedContinuation { continuation in
            // Nobody removes it by its number.
            if let now = enqueue(Waiter(request: request, id: 0, continuation: continuation)) {
                continuation.resume(returning: now)
            }
        }
    }
}

extension WaiterQueue where Request == Void {
    /// As `wait(for:whenCancelled:enqueue:remove:)`, where all tasks ask for the same.
    @inlinable
    package nonisolated(nonsending) static func wait(
        whenCancelled cancelled: Value, enqueue: (Waiter) -> Value?, remove: @Sendable (ID) -> Waiter?
    ) async -> Value {
        await wait(for: (), whenCancelled: cancelled, enqueue: enqueue, remove: remove)
    }

    /// As `wait(for:enqueue:)`, where all tasks ask for the same.
    @inlinable
    package nonisolated(nonsending) static func wait(enqueue: (Waiter) -> Value?) async -> Value {
        await wait(for: (), enqueue: enqueue)
    }
}

@usableFromInline
enum WaiterNumber {
    /// Before the lock is taken, so that a cancellation knows whom to remove. 0 is no waiter's.
    private static let last = Atomic<UInt64>(0)

    @usableFromInline
    static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
