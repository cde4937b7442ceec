import Synchronization

/// How fast changes of devices are claimed beside messages, over all hubs of this worker. Both need the same processors and
/// the same database, and a registration has time: a login code has none.
final class DevicePace: Sendable {
    /// Devices per second while messages are many (`MessageTraffic.isHeavy`). 20,000 changes beside 50,000 messages made
    /// these take 1.38 times as long without it (docs/measurements.md, "Devices").
    static let perSecond = 500.0

    /// Monotonic seconds: when the next claim may begin.
    private let nextAt = Mutex(-Double.infinity)

    /// One claim's place in the line.
    struct Turn {
        /// When it may begin, in monotonic seconds; perhaps now.
        let at: Double
        fileprivate let devices: Int
        fileprivate let pace: DevicePace

        /// The claim has ended with this many devices: the next one waits for no more than these.
        func took(_ devices: Int) {
            pace.nextAt.withLock { $0 -= Double(self.devices - devices) / DevicePace.perSecond }
        }
    }

    /// The turn of a claim of at most this many devices.
    ///
    /// - Parameter now: monotonic seconds.
    func turn(for devices: Int, now: Double) -> Turn {
        nextAt.withLock { nextAt in
            let at = max(now, nextAt)
            nextAt = at + Double(devices) / Self.perSecond
            return Turn(at: at, devices: devices, pace: self)
        }
    }
}
