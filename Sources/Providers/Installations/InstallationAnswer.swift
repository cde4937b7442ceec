import PushModel

/// What a hub said about its installations.
public struct InstallationAnswer: Sendable, Equatable {
    /// Verdict, status and tracking id, as of a post. `accepted`: it was read, or the change is queued.
    public var answer: Answer
    /// There is no such installation. The hub is there and has taken the token.
    public var isMissing = false
    /// At most 64 kB: what a reply keeps.
    public var body: [UInt8] = []
    /// Where the next page of a list begins; nil: this was the last one.
    public var continuation: String?

    init(_ answer: Answer) {
        self.answer = answer
    }

    public var verdict: Verdict { answer.verdict }
}
