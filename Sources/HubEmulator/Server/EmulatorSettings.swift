import Foundation
import Signing

/// How an emulator is set up. Everything but the hubs has a default.
public struct EmulatorSettings: Sendable {
    /// One hub, and who may do what there.
    public struct Hub: Sendable {
        /// 1 to 260 characters of A-Z, a-z, 0-9, `.`, `-`, `_`; not `_emulator`. Compared without case.
        public var name: String
        /// At least one.
        public var policies: [SASPolicy]

        /// A hub with one policy that may do everything: `emulator`, with the well-known key `ZW11bGF0b3I=`, unless
        /// others are given. The key protects nothing; it lets a configuration work without a secret in it.
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

    /// What a hub may do (`TierCapability`). Only the standard tier tells the notification id, in `Location`, and has
    /// telemetry, schedules and feedback; the free one has no batches either.
    public enum Tier: String, Sendable, CaseIterable {
        case standard
        case basic
        case free

        /// Devices a hub may have (notification-hubs.md section 5).
        var deviceLimit: Int {
            switch self {
            case .standard: 10_000_000
            case .basic: 200_000
            case .free: 500
            }
        }
    }

    public var hubs: [Hub]
    public var tier = Tier.standard
    /// The address to listen on. Anything but a loopback address lets others read what was sent: the admin paths
    /// under `/_emulator/` ask for no key. It needs `tls` or `allowsPlainBeyondLoopback`.
    public var host = "127.0.0.1"
    /// nil: plain HTTP only.
    public var tls: TLS?
    /// Plain HTTP on an address that is not loopback: only where the network is as good as loopback, as in a container.
    public var allowsPlainBeyondLoopback = false
    /// 0: a free port, chosen at the start.
    public var port = 0
    /// Seconds since 1970. Judges whether a token still holds, and dates everything written down and answered.
    public var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }
    /// Journal entries kept; older ones are forgotten and stay counted. At least 1.
    public var keptEntries = 1_000_000
    public var keptBodies = KeptBodies.all
    /// Pushes kept for every device and handle, the newest ones. At least 1.
    public var keptShown = 1_000
    /// Handles of direct sends that have an inbox; the one that got its inbox first loses it first. At least 1.
    public var keptHandles = 100_000
    /// Pushes kept in all inboxes together; the oldest sends' are forgotten first. At least 1. One push takes some 300
    /// bytes beside its texts.
    public var keptPushes = 1_000_000
    /// Devices each hub takes; one more is refused with 403. nil: what the tier allows (`Tier`).
    public var deviceLimit: Int?
    /// The file that installations and registrations are read from at the start and written to, at most once a second,
    /// as they change; beside it lies `FILE.lock`. nil: they are gone with the process.
    public var stateFile: String?
    /// Devices every hub has from the start, the same ones every time: `seed-1`, `seed-2` ... At least 0.
    public var seedDevices = 0
    /// Seconds after which a connection without traffic is closed. At least 1.
    public var idleSeconds = 60
    /// Seconds after a send in which its telemetry is not found yet, as the service needs some time for it.
    /// 0: it is there at once.
    public var telemetryDelay = 1.0
    /// Notifications whose telemetry is kept, the newest ones. At least 1.
    public var keptTelemetry = 10_000
    /// Scheduled notifications that wait at once; the service knows no such limit. At least 1.
    public var keptSchedules = 10_000
    /// The most seconds a request may take from its first byte to its last; then it gets 408. At least 1.
    public var requestSeconds = 120
    /// Connections open at a time, on all ports together; those beyond are closed as soon as they are taken. At least 1.
    public var maximumConnections = 4_096
    /// Set from the start, as with `HubEmulator.add`.
    public var faults: [Fault] = []

    public init(hubs: [Hub]) { self.hubs = hubs }
}

/// Whose bodies the journal keeps. Counting a million sends needs none.
public enum KeptBodies: Sendable, Equatable {
    case all
    /// Those of the newest sends.
    case last(Int)
    case none
}
