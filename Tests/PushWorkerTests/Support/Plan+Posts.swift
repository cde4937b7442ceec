import PushModel
import Store

extension Plan {
    /// The posts of a claim with their numbers, as a lane would write them.
    static func posts(for claim: Claim, of hub: HubSettings) -> ArraySlice<(n: Int, post: Post)> {
        let plan = Plan(claim.messages, for: hub, now: 0)
        return plan.posts.enumerated().map { (n: $0.offset + 1, post: $0.element) }[...]
    }
}
