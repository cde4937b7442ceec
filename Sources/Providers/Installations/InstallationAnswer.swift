import PushModel

/// A hub's answer about its installations.
public struct InstallationAnswer: Sendable, Equatable {
    /// Verdict, status and tracking id, as of a post. `accepted`: the read succeeded, or the change is queued.
    public var answer: Answer
    /// The hub exists and accepted the token, but has no such installation.
    public var isMissing = false
    /// At most 64 kB, the limit of a reply.
    public var body: [UInt8] = []
    /// Where the next page of a list begins; nil: the last page.
    public var continuation: String?

    init(_ answer: Answer) {
        self.answer = answer
    }

    public var verdict: Verdict { answer.verdict }
}
