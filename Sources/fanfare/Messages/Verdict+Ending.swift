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
    ///   - hub: its name in the settings.
    ///   - http: the status it answered with, if it did.
    ///   - repeatable: whether the request may be repeated without harm.
    func ending(hub: String, http: Int?, repeatable: Bool = false) -> HubEnding {
        switch self {
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
            HubEnding(
                status: .configuration, word: "auth_failed", because: why, hint: Self.remedy(hub: hub, http: http))
        case .hubNotFound(let why):
            HubEnding(
                status: .configuration, word: "hub_not_found", because: why, hint: Self.remedy(hub: hub, http: http))
        case .quotaExceeded(let why):
            HubEnding(
                status: .configuration, word: "quota_exceeded", because: why,
                hint: "The hub's tier does not have this, or its quota is used up: look in the portal.")
        case .notSent(let why):
            HubEnding(
                status: .unavailable, word: "not_sent", because: why,
                hint: "Nothing has left this machine. Is the Endpoint of hubs.\(hub) right, and the network there?")
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

    private static func remedy(hub: String, http: Int?) -> String {
        switch http {
        case 401:
            "Check the connectionString of hubs.\(hub): the policy's name, its key and its rights, and this machine's clock."
        case 403: "The policy lacks the right for this: look in the portal."
        case 404: "There is no such hub at this address: check hubs.\(hub).hub and the Endpoint."
        case 405, 501: "The hub does not serve this request."
        case nil: "The hub's certificate could not be verified: check the Endpoint and this machine's CA bundle."
        default: "Another server answers at this address, perhaps a proxy: check the Endpoint of hubs.\(hub)."
        }
    }
}
