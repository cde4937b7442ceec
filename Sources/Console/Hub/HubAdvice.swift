import Pages

/// What the state of a hub means and what ends it, in the words of docs/operations.md, "A hub does not send", which a test compares.
/// Pure.
struct HubAdvice: Sendable, Equatable {
    var look: StateLook
    /// nil: nothing is to be said.
    var means: String?
    var ends: String?

    private init(_ look: StateLook, means: String? = nil, ends: String? = nil) {
        self.look = look
        self.means = means
        self.ends = ends
    }

    /// - Parameter state: of `push.hub_health`; one that this build does not know has no words.
    init(_ state: String) {
        self =
            switch state {
            case "open": HubAdvice(.good)
            case "no pass":
                HubAdvice(
                    .bad,
                    means:
                        "no worker has an access token for it, and asks for one again and again; nothing is held and no attempt "
                        + "is counted",
                    ends: "time; why says what the token endpoint answered")
            case "gate closed":
                HubAdvice(
                    .waits,
                    means:
                        "the hub throttles us (429), often with a time to wait; after an hour at most one post tries again",
                    ends: "time, or push.open_gate, which also makes due what the hub refused meanwhile")
            case "failing":
                HubAdvice(
                    .bad,
                    means:
                        "posts of some worker do not get through: connection refused, timeout, 5xx. One post is tried after 1 s, "
                        + "then 2, 4, up to 30 s",
                    ends: "one post that gets through")
            case "held":
                HubAdvice(
                    .bad,
                    means: "the hub refuses us: a key, a name, a quota, a certificate. why has its words",
                    ends:
                        "fix the cause; a message that gets through. After a 401 with every key one is tried every 60 s; "
                        + "after anything else another one at once, then after 1, 2, 4 … 60 s; at once too "
                        + "when a reload changes the hub's settings, or by push.resume_hub, which alone ends a hold because of "
                        + "invalid tokens. What the hub refused meanwhile is then due within a second, urgent messages first"
                )
            case "paused": HubAdvice(.off, means: "a person paused it", ends: "push.resume_hub")
            default: HubAdvice(.waits)
            }
    }
}
