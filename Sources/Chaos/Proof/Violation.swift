/// A promise that was not kept.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    public enum Promise: String, Sendable, CaseIterable {
        case nothingConfirmedIsMissing = "a confirmed INSERT is there"
        case oneFinalState = "every message has exactly one final state or is still due"
        case nothingIsStuck = "nothing is stuck"
        case nothingIsRepeated =
            "at most one post per message was accepted or left unanswered, unless a row or a person asked for more"
        case nothingIsGivenUp =
            "nothing is rejected because its hub throttled, failed or could not be reached"
        case goneMeansGone = "only phones that are gone are said to be gone"
        case everyPostIsWrittenDown = "no post leaves that is not written down first"
        case acceptedMeansTaken = "what is accepted was taken by the hub"
        case doubtMeansUnanswered = "every message in doubt had a post without an answer"
        case wordsMeanNoDoubt = "what APNs answered, refused unread or left out of a GOAWAY is not in doubt"
        case staleChangesNothing = "a late completion changes nothing but the doubt of its own post"
        case cancelledMeansUnsent = "what was cancelled is not sent"
        case erasedMeansGone = "what was erased is gone, and is not sent"
        case urgentNeverWaits = "urgent messages leave at once while slow bulk posts fill every window"
        case tallyAgrees = "the tally agrees with the results"
        case lostIsEmpty = "push.lost is empty"
        case changesEndOnce = "every confirmed change of a device is there and has exactly one final result"
        case rolledBackLeavesNothing = "what was rolled back leaves no change of a device"
        case devicesAreAsAsked = "each device is what its committed changes say, in the order of their ids"
    }

    public var promise: Promise
    /// nil: it is about no single one.
    public var message: Int64?
    public var detail: String
    /// The standby that took over had not received what would have prevented it.
    public var isLoss: Bool

    public init(_ promise: Promise, message: Int64? = nil, isLoss: Bool = false, _ detail: String) {
        self.promise = promise
        self.message = message
        self.isLoss = isLoss
        self.detail = detail
    }

    public var description: String { "\(message.map { "message \($0): " } ?? "")\(detail)" }

    /// One message counts once, however often its promise was broken.
    var detailed: String { message.map { "\($0)" } ?? detail }
}
