import HTTPTransport
import Postgres
import Providers
import PushModel
import Store

/// One step of the work, reported once to all listeners (`LaneEvents`). docs/metrics.md has the table, made from this file and
/// from the listeners beside it.
///
/// A payload is what exists already: reporting a step allocates nothing. Times are monotonic seconds.
enum LaneEvent {
    /// A lane claimed messages.
    case claimed(Claim, at: HubContext, lane: Int, began: Double, now: Double)
    /// A lane found nothing to claim.
    case foundNothing(lane: Int, began: Double, now: Double)
    /// Messages got an outcome without a post of theirs: they cannot be sent.
    case refused([Int64], MessageOutcome, PostTraces?, at: HubContext)
    /// The intents of posts were written; or they were not, and none of the posts leaves.
    case intended(posts: Int, of: Int64, at: HubContext, began: Double, now: Double, isWritten: Bool)
    /// A post was handed to the transport.
    case departed(Int64, InFlight.PostInFlight, at: HubContext)
    /// A post has its answer. No outcome: it leaves again in parts.
    case answered(Int64, InFlight.PostInFlight, Answer, MessageOutcome?, at: HubContext, Priority, now: Double)
    /// Responses came together; they have had no effect on the hub yet. Suspect: it refused a token.
    case replied([Reply], at: HubContext, isSuspect: Bool, now: Double)
    /// Answers that came together have had their effect on the hub.
    case settled([Completion.Answered], at: HubContext, now: Double)
    /// The hub refused a token, of a post or of a change of a device.
    case tokenRefused(at: HubContext)
    /// A statement recorded results. Empty: another session holds all of their claims.
    case recorded(Completion, began: Double, now: Double)
    /// A statement that records results failed, and is tried again.
    case recordingFailed(Completion, DatabaseError, began: Double)
    /// The outcome of messages is recorded.
    case ended(MessageOutcome, [Int64], of: Int64, isFenced: Bool)
    /// A statement that only reads succeeded.
    case read(began: Double)
    /// A statement that writes succeeded.
    case wrote(by: DatabaseTrouble.Writer, began: Double)
    /// A statement failed; a nil writer: it only reads.
    case failed(DatabaseError, by: DatabaseTrouble.Writer?)
}
