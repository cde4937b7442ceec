import PushWorker
import Logging
import Signing
import Telemetry

/// Everything a person may decide about Fanfare. Immutable once loaded: a reload makes a new value.
///
/// Command line, then environment, then credentials, then `config.json`, then what stands here. The ranges are in the
/// key table (`Settings.keys`, `HubConfiguration.keys`), which every other description is made of.
public struct Settings: Sendable {
    public var database = Database()
    /// By the name backends write into `push.message.hub`. Default: none.
    public var hubs: [String: HubConfiguration] = [:]
    public var dispatch = Dispatch()
    public var console = Console()
    public var log = Log()

    /// What is odd but no reason to stop: unknown keys, variables and credential files. Never holds a secret.
    public internal(set) var warnings: [SettingsProblem] = []
    /// The file that was read; nil in values that were not loaded.
    public internal(set) var file: String?
    /// Where each key's value came from; keys that are not here have their defaults.
    var origins: [String: SettingOrigin] = [:]

    public init() {}

    public struct Database: Sendable, Equatable {
        /// libpq connection string or URI; empty: libpq's own environment (`PGHOST`, `PGSERVICE`, …). A secret because
        /// it may hold a password.
        public var url = Secret("")
        /// Whether statements are prepared on the server. `never` is for poolers that do not keep sessions.
        public var prepare = Prepare.auto
        /// Sessions this process opens at most. 1 to 100.
        public var maximumConnections = 4

        public enum Prepare: String, Sendable, CaseIterable {
            case auto
            case never
        }
    }

    public struct Dispatch: Sendable, Equatable {
        /// Messages one claim takes at most. 1 to 1000.
        public var batch = 1000
        /// Tasks that claim and post, over all hubs. 1 to 1024.
        public var lanes = 64
        /// Requests in flight at most, over all hubs. 1 to 4096.
        public var slots = 512
        /// How urgent, normal and bulk messages to one hub share its window while more than one of them waits. Each 1 to
        /// 100; default 16, 4 and 1.
        public var weights = PriorityWeights()
        /// Seconds a claim is ours without a sign of life. 5 to 300.
        public var leaseSeconds = 15
        /// Seconds that posts in flight get to be answered after SIGTERM. 1 to 3600.
        public var drainSeconds = 60
        /// Whether an idle worker listens for `push.wake_up()` instead of looking all the time. Takes one more session, to
        /// the server itself.
        public var listen = false
    }

    public struct Console: Sendable, Equatable {
        /// Where pages, metrics and health answer. nil (`"off"`): nowhere.
        public var listen: ListenAddress? = ListenAddress(host: "127.0.0.1", port: 9464)
    }

    public struct Log: Sendable, Equatable {
        public var level = Logger.Level.info
        public var format = LogFormat.auto
    }
}
