/// One thing that goes wrong on purpose.
public struct InjectedFault: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case killWorker = "kill -9 of a worker"
        case pauseWorker = "SIGSTOP of a worker past its lease"
        case pauseBriefly = "SIGSTOP of a worker within its lease"
        case stopWorker = "SIGTERM of a worker and restart"
        case reloadWorker = "SIGHUP of a worker"
        case stopDatabaseAtOnce = "database restart, immediate"
        case stopDatabase = "database restart, fast"
        case killSessions = "all database sessions terminated"
        case failOver = "fail-over to the standby"
        case cutBeforeBody = "connections cut before the body"
        case cutAfterBody = "connections cut after the body, not taken"
        case cutAfterTaking = "connections cut after the hub took it"
        case cutAnswer = "answers cut in the middle"
        case throttle = "429 with Retry-After"
        case serverError = "500, 502 or 503"
        case gatewayTimeout = "504 of FCM or APNs after it took the message"
        case hang = "answers that take seconds"
        case skew = "the hub's clock two hours off"
        case clockStep = "the hub's clock steps forward"
        case rotateKeys = "the hub's primary key changed"
        case rotateByPerson = "push.rotate_hub"
        case refuse = "403, 404, 307, 407, 501 or 505 for some posts"
        case tokenEndpoint = "FCM's token endpoint fails, hangs or refuses"
        case goAway = "GOAWAY of APNs while requests are in flight"
        case resetStream = "streams reset by APNs, with any code"
        case lowerStreams = "fewer streams at APNs, or none"
        case swallow = "requests and PINGs that APNs leaves without an answer"
        case endToken = "a provider token that APNs calls ended"
        case refusedConnection = "hubs at an address that refuses connections"
        case unknownHost = "hubs at a name that nobody knows"
        case withoutTLS = "hubs at an address without TLS"
        case workerClock = "a worker's clock a day off"
        case serverClock = "the server's clock steps, and steps back"
        case deleteRows = "rows of push.message deleted behind everybody's back"
        case switchLocalization = "another localization of a hub on reload"
        case newerSchema = "a schema that is newer than the workers"

        /// What it changes as a whole.
        public enum Ground: Sendable {
            /// A worker whose clock disagrees with the server's does not begin, so nothing may make one begin anew while a
            /// clock is off.
            case database
            /// Where the workers look for the hubs.
            case addresses
        }

        /// Only one fault at a time changes a ground. nil: it goes beside all others.
        public var ground: Ground? {
            switch self {
            case .stopDatabaseAtOnce, .stopDatabase, .killSessions, .failOver, .workerClock, .serverClock, .newerSchema:
                .database
            case .refusedConnection, .unknownHost, .withoutTLS: .addresses
            default: nil
            }
        }

        /// Whether a connection that carries several requests ends without a word.
        var cutsConnections: Bool {
            switch self {
            case .cutBeforeBody, .cutAfterBody, .cutAfterTaking, .cutAnswer, .swallow: true
            default: false
            }
        }

        /// Seconds after its end in which it still has effects: a request that is left without an answer ends by its timeout.
        var aftermath: Double { self == .swallow ? 20 : 0 }

        /// Needs processes whose clock can be set (`FakeClock`).
        public var isAboutClocks: Bool { self == .workerClock || self == .serverClock }

        public var isAboutWorker: Bool {
            switch self {
            case .killWorker, .pauseWorker, .pauseBriefly, .stopWorker, .reloadWorker, .workerClock: true
            default: false
            }
        }

        /// How often it comes, beside the others.
        var weight: Int {
            switch self {
            case .killWorker: 6
            case .goAway, .resetStream, .pauseWorker, .cutBeforeBody, .cutAfterBody, .cutAfterTaking: 3
            case .stopDatabaseAtOnce, .pauseBriefly, .stopWorker, .throttle, .hang, .cutAnswer, .failOver, .refuse,
                .deleteRows:
                2
            default: 1
            }
        }
    }

    public var kind: Kind
    /// When it begins, in seconds after the start.
    public var at: Double
    /// How long it lasts, in seconds.
    public var lasts: Double
    /// Which worker, if it is about one.
    public var worker: Int
    /// For what is random about it.
    public var seed: UInt64
}
