import Logging
import Postgres
import Store

/// Listens for `push.wake_up()` on behalf of the scout, and says in the log when it cannot.
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

    /// Wakes the scout until `close`.
    func run() async {
        var wasDeaf: Bool?
        for await _ in listener.changes {
            switch listener.state {
            case .listening where wasDeaf != false:
                wasDeaf = false
                log.notice("listening for push.wake_up()")
            case .deaf(let error?) where wasDeaf != true:
                wasDeaf = true
                log.warning(
                    """
                    cannot listen for push.wake_up(): looks for messages all the time, as without dispatch.listen, and \
                    tries again; give database.url a connection without a pooler, or set dispatch.listen to false
                    """, metadata: ["error": "\(error)"])
            default: break
            }
            await poller.heard(isListening: listener.isListening)
        }
    }

    /// Returns when the session has ended.
    func close() async { await listener.close() }
}
