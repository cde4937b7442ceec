import Foundation
import Signing

/// The settings of an emulator. Everything except the hubs and senders has a default.
public struct EmulatorSettings: Sendable {
    /// One hub and its access policies.
    public struct Hub: Sendable {
        /// 1 to 260 characters of A-Z, a-z, 0-9, `.`, `-`, `_`; not `_emulator`. Case-insensitive.
        public var name: String
        /// At least one.
        public var policies: [SASPolicy]

        /// By default the hub has one policy, `emulator`, with all rights and the well-known key `ZW11bGF0b3I=`. The key
        /// protects nothing: with it, a configuration needs no secret.
        public init(
            _ name: String,
            policies: [SASPolicy] = [
                SASPolicy(name: "emulator", key: Secret("ZW11bGF0b3I="), rights: [.send, .listen, .manage])
            ]
        ) {
            self.name = name
            self.policies = policies
        }
    }

    /// What a hub can do (`TierCapability`). Only the standard tier returns the notification id, in `Location`, and has
    /// telemetry, schedules and feedback. The free tier also has no batch sends.
    public enum Tier: String, Sendable, CaseIterable {
        case standard
        case basic
        case free

        /// Devices a hub may have (docs/wire/notification-hubs.md, "Limits and tiers").
        var deviceLimit: Int {
            switch self {
            case .standard: 10_000_000
            case .basic: 200_000
            case .free: 500
            }
        }
    }

    public var hubs: [Hub]
    /// Senders of FCM on the same port. Beside one, no hub is named `token`, `v1` or `iid`.
    public var senders: [Sender]
    /// Senders of APNs, on the port for TLS. Beside one, no hub is named `3`.
    public var apnsSenders: [APNsSender] = []
    /// The texts of the app on all devices, for localisation keys. nil: keys are shown as they are.
    public var strings: StringsFile?
    /// The categories of notifications that the app has registered on all Apple phones, with their buttons. nil: none.
    public var categories: CategoriesFile?
    public var tier = Tier.standard
    /// The address to listen on. An address beyond loopback needs `tls` or `allowsPlainBeyondLoopback`, and lets others
    /// read what was sent: the admin paths under `/_emulator/` need no key.
    public var host = "127.0.0.1"
    /// nil: plain HTTP only.
    public var tls: TLS?
    /// Allows plain HTTP on an address that is not loopback. Use it only in an isolated network, as in a container.
    public var allowsPlainBeyondLoopback = false
    /// 0: any free port.
    public var port = 0
    /// The clock, in seconds since 1970. It decides whether a token has expired, and dates journal entries and responses.
    public var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }
    /// Journal entries kept. Older ones are dropped but stay in the counts. At least 1.
    public var keptEntries = 1_000_000
    public var keptBodies = KeptBodies.all
    /// Newest pushes kept in the inbox of each device and handle. At least 1.
    public var keptPushesPerInbox = 1_000
    /// Handles of direct sends that have an inbox. Beyond this, the handle with the oldest inbox loses it. At least 1.
    public var keptHandles = 100_000
    /// Pushes kept in all inboxes together. Those of the oldest sends are dropped first. At least 1. One push takes about
    /// 300 bytes plus its texts. Also the inboxes of a hub whose last push is known, for the order of the phones.
    public var keptPushes = 1_000_000
    /// Devices per hub; another one is refused with 403. nil: the limit of the tier (`Tier`).
    public var deviceLimit: Int?
    /// The file from which installations and registrations are loaded at the start, and to which changes are written at
    /// most once a second. `FILE.lock` is created beside it. nil: they live in memory only.
    public var stateFile: String?
    /// Synthetic devices in every hub at the start, identical in every run: `seed-1`, `seed-2` ... At least 0.
    public var seedDevices = 0
    /// Seconds after which a connection without traffic is closed. At least 1.
    public var idleSeconds = 60
    /// Seconds until the telemetry of a send is available, as the service also needs some time. 0: at once.
    public var telemetryDelay = 1.0
    /// Newest notifications whose telemetry is kept. At least 1.
    public var keptTelemetry = 10_000
    /// Scheduled notifications that can wait at a time; the service has no such limit. At least 1.
    public var keptSchedules = 10_000
    /// Seconds within which a request must arrive, from its first byte to its last; then it gets 408. At least 1.
    public var requestSeconds = 120
    /// Open connections, on all ports together. Further ones are closed as soon as they are accepted. At least 1.
    public var maximumConnections = 4_096
    /// Faults that are active from the start, as with `HubEmulator.add`.
    public var faults: [Fault] = []

    public init(hubs: [Hub], senders: [Sender] = []) {
        self.hubs = hubs
        self.senders = senders
    }
}

/// Which request bodies the journal keeps. A test that only counts a million sends needs none.
public enum KeptBodies: Sendable, Equatable {
    case all
    /// Those of the newest sends, this many.
    case last(Int)
    case none
}

extension EmulatorSettings {
    /// TLS beside plain HTTP, on a port of its own, with the certificate of the emulator's `TLSProvider`.
    public struct TLS: Sendable, Equatable {
        /// 0: a free port, chosen at the start.
        public var port: Int
        /// Host names and addresses clients use besides `localhost`, `127.0.0.1` and `::1`.
        public var names: [String]
        /// Where the certificate of the authority is written for clients to trust, readable by all; nil: nowhere. An
        /// older one is replaced. The keys are never written.
        public var caFile: String?

        public init(port: Int = 0, names: [String] = [], caFile: String? = nil) {
            self.port = port
            self.names = names
            self.caFile = caFile
        }
    }
}
