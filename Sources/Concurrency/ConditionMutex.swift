import Glibc

/// A value under a lock, on which threads of our own wait for a change. A task never waits here: it would block a
/// thread that all tasks share.
// Sendable: `state` is touched only with the mutex held.
package final class ConditionMutex<State: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    package init(_ state: State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Changes the value and wakes all threads that wait.
    package func change<T>(_ body: (inout State) -> T) -> T {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        pthread_cond_broadcast(changed)
        return body(&state)
    }

    /// Blocks the thread until `body` returns something; calls it again after each change.
    package func wait<T>(_ body: (inout State) -> T?) -> T {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let answer = body(&state) { return answer }
            pthread_cond_wait(changed, mutex)
        }
    }
}
