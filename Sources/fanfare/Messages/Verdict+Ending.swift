import CommandLineTool
import Daemon
import Foundation
import PushModel

/// What a hub's answer to a command means to the shell, and to the person in front of it.
struct HubEnding {
    let status: ExitStatus
    /// One word, as in `--json`.
    let word: String
    let because: String?
    let hint: String?
}

extension Verdict {
    /// - Parameters:
    ///   - remedies: of the hub that answered.
    ///   - http: the status it answered with, if it did.
    ///   - repeatable: whether the request may be repeated without harm.
    func ending(_ remedies: HubRemedies, http: Int?, repeatable: Bool = false) -> HubEnding {
        let remedy = remedies.remedy(of: self, http: http)
        return switch self {
        case .accepted: HubEnding(status: .ok, word: "accepted", because: nil, hint: nil)
        case .targetGone(_, let why): HubEnding(status: .someFailed, word: "target_gone", because: why, hint: nil)
        case .targetInvalid(let why): HubEnding(status: .someFailed, word: "target_invalid", because: why, hint: nil)
        case .tooLarge(let why): HubEnding(status: .someFailed, word: "too_large", because: why, hint: nil)
        case .rejected(let why): HubEnding(status: .someFailed, word: "rejected", because: why, hint: nil)
        case .throttled(let after, _, let why):
            HubEnding(status: .tryLater, word: "throttled", because: why, hint: Self.when(after))
        case .unavailable(let after, let why):
            HubEnding(
                status: .tryLater, word: "unavailable", because: why,
                hint: after.map(Self.when) ?? "Try again in a minute.")
        case .authExpired(let why), .authFailed(let why):
            HubEnding(status: .configuration, word: "auth_failed", because: why, hint: remedy)
        case .hubNotFound(let why):
            HubEnding(
                status: .configuration, word: "hub_not_found", because: why,
                hint: remedy.map { Self.place(http, remedies) + $0 })
        case .quotaExceeded(let why):
            HubEnding(status: .configuration, word: "quota_exceeded", because: why, hint: remedy)
        case .notSent(let why):
            HubEnding(
                status: .unavailable, word: "not_sent", because: why,
                hint: remedy.map { "Nothing has left this machine. \($0)" })
        case .unknown(let why):
            HubEnding(
                status: .tryLater, word: "unknown", because: why,
                hint: repeatable
                    ? "It may have arrived and no answer came; it may be repeated without harm."
                    : "It may have been sent: no answer came. Sending it again may show it twice.")
        }
    }

    private static func when(_ after: Double) -> String {
        let time = Date().addingTimeInterval(after.rounded(.up)).timeIntervalSince1970
        return
            "Try again in \(HumanFormat.duration(after.rounded(.up))), at \(HumanFormat.time(secondsSince1970: time))."
    }

    /// Where an answer without the hub came from.
    private static func place(_ http: Int?, _ remedies: HubRemedies) -> String {
        switch http {
        case 404: "T\(remedies.absence.dropFirst()) at this address. "
        case 405, 501: ""
        default: "Another server answers at this address, perhaps a proxy. "
        }
    }
}
