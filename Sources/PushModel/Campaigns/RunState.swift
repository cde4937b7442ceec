/// Where a run stands. The raw values are those of the SQL enum `push.run_state`.
public enum RunState: String, Sendable, Hashable, CaseIterable {
    /// It begins when the runs of its campaign before it are over.
    case waiting
    /// The messages of its canary are made; the rest waits for their results.
    case canary
    /// Its audience is read, and its messages are sent.
    case running
    /// Nothing more is made or sent until somebody resumes it.
    case paused
    /// Nothing more is made or sent, and what is on the wire ends.
    case cancelling
    case cancelled
    case done
    /// Nothing of it could be sent.
    case failed
    /// Its time was up before its audience was read to its end. What was made may still be sent.
    case expired
    /// Its time came while another run of its campaign was not over.
    case skipped

    /// Whether it makes no messages any more.
    public var isOver: Bool {
        switch self {
        case .waiting, .canary, .running, .paused, .cancelling: false
        case .cancelled, .done, .failed, .expired, .skipped: true
        }
    }
}
