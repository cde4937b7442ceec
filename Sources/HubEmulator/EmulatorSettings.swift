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

    /// Only the standard tier tells the notification id, in `Location`.
    public enum Tier: String, Sendable, CaseIterable {
        case standard
        case free
    }

    public var hubs: [Hub]
    public var tier = Tier.standard
    /// The address to listen on. Anything but a loopback address lets others read what was sent: the admin paths
    /// under `/_emulator/` ask for no key.
    public var host = "127.0.0.1"
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
    /// Seconds after which a connection without traffic is closed. At least 1.
    public var idleSeconds = 60

    public init(hubs: [Hub]) { self.hubs = hubs }
}

/// Whose bodies the journal keeps. Counting a million sends needs none.
public enum KeptBodies: Sendable, Equatable {
    case all
    /// Those of the newest sends.
    case last(Int)
    case none
}
