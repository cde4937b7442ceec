import Pages
import PushModel

/// How the state of a run looks, and that of a campaign. Pure.
enum RunLook {
    static func of(_ state: RunState) -> StateLook {
        switch state {
        case .running, .done: .good
        case .canary, .waiting, .cancelling: .waits
        case .failed, .expired: .bad
        case .paused, .cancelled, .skipped: .off
        }
    }

    /// - Parameter campaign: `draft`, `ready` or `archived`.
    static func of(campaign: String) -> StateLook { campaign == "ready" ? .good : .off }
}
