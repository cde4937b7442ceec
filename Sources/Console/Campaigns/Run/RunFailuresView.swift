import PushModel
import Store

/// Why messages of a run were not accepted, by reason. Pure.
struct RunFailuresView {
    struct Failure {
        let failureStatus: String
        let failureLook: String
        let failureReason: String
        let failureMessages: String
        /// What was wrong with one of them, or what the hub said.
        let failureNote: String
        /// nil: the person may not see messages, or it is purged.
        let exampleAddress: String?
        /// To the messages with it; nil: the person may not see them.
        let failureAddress: String?
        /// nil: it would do nothing, or the person may not.
        let failureRetry: ActionLink?
    }

    let failures: [Failure]

    /// - Returns: nil: all were accepted, as far as is known.
    init?(_ run: RunReference, _ failures: [RunFailure], _ standing: RunStanding, for visit: Visit) {
        guard !failures.isEmpty else { return nil }
        self.failures = failures.map { failure in
            let retry = Reason(rawValue: failure.reason).map { RetryRunAction(run, reason: $0) }
            let canRetry =
                failure.status != "cancelled" && failure.status != "in_doubt" && retry?.pointless(standing) == nil
            return Failure(
                failureStatus: failure.status, failureLook: StatusLook.of(failure.status).rawValue,
                failureReason: failure.reason, failureMessages: HumanFormat.grouped(failure.messages),
                failureNote: failure.note ?? "",
                exampleAddress: failure.example.flatMap { visit.existing(["messages", "\($0)"]) },
                failureAddress: visit.existing(
                    ["messages"],
                    [
                        "campaign": run.campaign, "run": run.key, "status": failure.status,
                        "reason": failure.reason,
                    ]),
                failureRetry: canRetry ? retry.flatMap { ActionLink($0, "Send these again", for: visit) } : nil)
        }
    }
}
