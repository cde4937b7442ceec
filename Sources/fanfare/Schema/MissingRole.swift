import Foundation

/// Which of the roles of `migrations/roles.sql` a login lacks, judged by the thing that was refused. Pure.
struct MissingRole: Equatable {
    /// nil: the thing is not one that a role of ours opens.
    let name: String?

    /// - Parameter message: the server's, which ends with the name of the thing: `permission denied for function claim_v1`.
    ///   The words before it are in the server's language.
    init(refusal message: String) {
        let thing = message.split(separator: " ").last.map {
            $0.trimmingCharacters(in: .init(charactersIn: "\"«»„“”."))
        }
        name = thing.flatMap(Self.role)
    }

    /// What to do about it, as a sentence.
    var advice: String {
        guard let name else { return "Ask its owner to grant this role what it needs, or use another role." }
        return
            "This login is not a member of \(name). Have its owner run: GRANT \(name) TO the login; or use another login."
    }

    private static func role(for thing: String) -> String? {
        switch thing {
        case "push", "schema", "schema_files", "iso":
            "one of push_worker, push_enqueue, push_register, push_campaign, push_approve, push_monitor and push_operator"
        case "message", "enqueue", "enqueue_many", "wake_up": "push_enqueue"
        case "put_device", "patch_device", "drop_device": "push_register"
        case "create_campaign", "check_campaign", "retire_campaign", "schedule_campaign", "pause_schedule",
            "resume_schedule", "backfill_campaign", "start_run", "run_campaign", "cancel_run", "pause_run",
            "resume_run",
            "set_run_rate", "retry_run", "test_campaign", "changes_of_revision", "approvals", "resolve_run",
            "make_list", "drop_list", "suppress", "suppress_many", "unsuppress", "campaign",
            "campaign_revision", "campaign_next", "campaigns", "run", "run_progress", "run_hubs", "list", "list_member",
            "suppression":
            "push_campaign"
        case "approve", "reject", "approval": "push_approve"
        case "device_status": "one of push_monitor and push_register"
        case "status_of", "ended_since": "one of push_enqueue and push_monitor"
        case "cancel", "cancel_campaign", "cancel_hub", "retry", "retry_failed", "resolve", "resolve_doubts", "erase",
            "pause_hub", "resume_hub", "open_gate", "set_rate", "rotate_hub", "rescue", "add_hub", "remove_hub",
            "purge", "empty_default_partitions", "cancel_devices":
            "push_operator"
        case "message_status", "backlog", "in_doubt", "workers", "lost", "hub_health", "recent_failures", "throughput",
            "snapshot_holders", "find_messages", "messages_in_same_post", "eta", "device_backlog", "lost_changes",
            "find_changes",
            "pulse", "backlog_for_scaling":
            "push_monitor"
        case "filled_defaults", "incidents", "missing_partitions", "read_pulse": "push_worker or push_monitor"
        case "make_partitions", "push_worker": "push_worker"
        default: thing.contains(/_v[0-9]+$/) ? "push_worker" : nil
        }
    }
}
