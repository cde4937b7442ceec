import Logging
import PushModel
import Signing
import Telemetry

/// Everything an operator can configure. Immutable once loaded: a reload makes a new value.
///
/// The command line comes first, then the environment, credentials, `config.json` and the defaults here. The ranges are
/// in the key table (`Settings.keys`, `HubConfiguration.keys`), which all documentation is made from.
public struct Settings: Sendable {
    public var database = Database()
    /// By the name that backends write into `push.message.hub`. Default: none.
    public var hubs: [String: HubConfiguration] = [:]
    public var dispatch = Dispatch()
    public var caps = Caps()
    public var transport = Transport()
    public var console = Console()
    public var log = Log()

    /// Problems that are no errors, such as unknown keys, variables and credential files. Never hold a secret.
    public internal(set) var warnings: [SettingsProblem] = []
    /// The file that was read; nil in values that were not loaded.
    public internal(set) var file: String?
    /// The source of each key's value; keys that are missing here have their defaults.
    package internal(set) var origins: [String: SettingOrigin] = [:]

    public init() {}

    public struct Database: Sendable, Equatable {
        /// libpq connection string or URI; empty: libpq's own environment (`PGHOST`, `PGSERVICE`, …). A secret, because
        /// it may hold a password.
        public var url = Secret("")
        /// Whether statements are prepared on the server. `never` is for poolers in transaction mode.
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
        /// Posts in flight at most, over all hubs. 1 to 4096. Requests for devices may be a quarter more.
        public var slots = 512
        /// How urgent, normal and bulk messages to one hub share its window while more than one kind waits. Each 1 to
        /// 100; default 16, 4 and 1.
        public var weights = PriorityWeights()
        /// Seconds a worker keeps its claims without a heartbeat. 5 to 300.
        public var leaseSeconds = 15
        /// Seconds that posts in flight may wait for their answers after SIGTERM. 1 to 3600.
        public var drainSeconds = 60
        /// Whether an idle worker listens for `push.wake_up()` instead of polling. Takes one more session, directly to
        /// the server.
        public var listen = false
    }

    public struct Caps: Sendable, Equatable {
        /// Days for which it is known whom campaigns with a cap reached, so the most that `days` of a cap may be. 1 to 366.
        /// `fanfare migrate up` writes it to the database.
        public var rememberDays = 30
    }

    public struct Transport: Sendable, Equatable {
        /// File of trusted certificates in PEM form for all hubs. It replaces the one that libcurl was built with; empty:
        /// that one. Certificates are verified with either.
        public var caFile = ""
    }

    public struct Console: Sendable, Equatable {
        /// Where the health pages are served, at most two addresses. Empty (`"off"`): nowhere.
        public var listen = [ListenAddress(host: "127.0.0.1", port: 9464)]
        /// Where `/metrics` is served besides `listen`, and nothing else; at most two addresses. Empty (`"off"`): nowhere.
        public var metrics: [ListenAddress] = []
        /// What a request for `/metrics` has to bring on an address that is not on the loopback (RFC 6750). Default: none;
        /// then there are no metrics on such an address.
        public var metricsToken: Secret?
        /// Where the pages of the console are served. Default (`"off"`): nowhere.
        public var pages: ListenAddress?
        /// What the installation is called on its pages: `production`. At most 40 characters. Default: empty, no name.
        public var name = ""
        /// In front of every address of the pages, without a slash at its end: `/pushes`. Default: empty.
        public var basePath = ""
        /// Host names, perhaps with ports, that browsers ask for besides the address itself, in lower case. Default: none.
        public var hosts: [String] = []
        /// As `database.url`, for the login of the pages. Default: nil, `database.url`.
        public var databaseURL: Secret?
        /// Where requests come from that others have forwarded, over TLS. Default: none, so none may be forwarded.
        public var proxies: [AddressRange] = []
        /// The field of a request's header in which `proxies` name the person. Default: nil, people sign in by password.
        public var userHeader: String?
        /// Whether nobody can change anything in the pages.
        public var isReadOnly = false
        /// How long each part of a page may read, from 1 to 60 seconds: then the page shows the rest.
        public var statementSeconds = 2
        /// People, by their names. Default: none.
        public var users: [String: ConsoleUser] = [:]
    }

    public struct Log: Sendable, Equatable {
        public var level = Logger.Level.info
        public var format = LogFormat.auto
    }
}
