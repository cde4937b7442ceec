import Glibc

/// Starts a thread of our own for calls that block. Tasks run on a few shared threads, which must not.
package enum DetachedThread {
    /// - Throws: `DatabaseError` when the system has no thread left.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(DatabaseError) {
        let start = Unmanaged.passRetained(Start(body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let fault = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        guard fault != 0 else { return }
        start.release()
        throw DatabaseError(
            doing: "start a thread for the database", message: String(cString: strerror(fault)), isTransient: true)
    }

    private final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
