import Logging
import Store
import Synchronization

/// Logs once, and again after each change, that the schema is newer than this build.
final class SchemaNotice: Sendable {
    private let known = Mutex<Schema.Standing?>(nil)

    func say(_ standing: Schema.Standing, log: Logger) {
        let before = known.withLock { known in
            defer { known = standing }
            return known
        }
        guard standing != before, let notice = standing.notice else { return }
        log.notice("\(notice)")
    }
}
