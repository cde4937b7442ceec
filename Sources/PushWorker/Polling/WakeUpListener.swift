import Logging
import Postgres
import Store

/// Listens for `push.wake_up()` and wakes the poller; logs when it cannot listen.
struct WakeUpListener: Sendable {
    private let listener: ChannelListener
    private let poller: DuePoller
    private let log: Logger

    /// Begins to listen.
    ///
    /// - Throws: `DatabaseError` when the system has no thread left.
    init(database: Database, poller: DuePoller, log: Logger) throws(DatabaseError) {
        listener = try database.listener(on: Queue.wakeUps)
        self.poller = poller
        self.log = log
    }

    /// Wakes the poller until `close`.
    func run() async {
        var hasFailed: Bool?
        for await _ in listener.changes {
            switch listener.state {
            case .listening where hasFailed != false:
                hasFailed = false
                log.notice("listening for push.wake_up()")
            case .notListening(let error?) where hasFailed != true:
                hasFailed = true
                log.warning(
                    """
                    cannot listen for push.wake_up(): polling all the time, as without dispatch.listen, and trying again; \
                    give database.url a connection without a pooler, or set dispatch.listen to false
                    """, metadata: ["error": "\(error)"])
            default: break
            }
            await poller.signalled(isListening: listener.isListening)
        }
    }

    /// Returns when the session has ended.
    func close() async { await listener.close() }
}
