import Postgres
import PushModel

/// One device that this worker holds: a row of `push.installation_claim`, with all that waits for it.
public struct ClaimedDevice: Sendable, Equatable {
    /// The claim's id, never used twice: results count only for it.
    public let claim: Int64
    public let device: String
    /// In the order of their ids, at most 100; never empty.
    public let changes: [DeviceChange]

    public init(claim: Int64, device: String, changes: [DeviceChange]) {
        self.claim = claim
        self.device = device
        self.changes = changes
    }
}

/// What one claim took.
public struct ClaimedDevices: Sendable {
    public let devices: [ClaimedDevice]
    /// Of the last pointer that was looked at for them.
    public let position: DuePosition
}

/// What becomes of one change.
public struct DeviceOutcome: Sendable, Equatable {
    public enum Status: String, Sendable {
        case applied, superseded, refused, retrying
    }

    public let change: Int64
    /// nil: it was not tried, and waits for an earlier change of its device.
    public let status: Status?
    /// Seconds until the next try; nil: the status is final.
    public let delay: Double?
    /// Attempts that it cost.
    public let cost: Int16
    public let answer: Answer?
    public let note: String?

    public init(
        _ change: Int64, _ status: Status?, delay: Double? = nil, cost: Int16 = 0, answer: Answer? = nil,
        note: String? = nil
    ) {
        self.change = change
        self.status = status
        self.delay = delay
        self.cost = cost
        self.answer = answer
        self.note = note
    }
}
