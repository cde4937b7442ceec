import CommandLineTool
import PushModel
import Store

/// What `fanfare plan --message` answers: where a message is, and the post that it would be in. Pure.
struct MessagePlan {
    let standing: PlanStanding
    /// Seconds since 1970.
    let asOf: Double
    /// The claims of its lane up to its own; nil: it is not pending.
    var book: PlanBook?

    private var why: WhyApart? { book?.wanted.why }

    private var post: PlannedPost? {
        guard case .post(let place) = why?.fate(of: standing.message) else { return nil }
        return book?.hubs.first?.posts.first { $0.number == place.post }
    }

    private var refusal: Refusal? {
        guard case .refused(let refusal) = why?.fate(of: standing.message) else { return nil }
        return refusal
    }

    var report: Report {
        Report(text, json, status: refusal == nil ? .ok : .someFailed)
    }

    private var text: String {
        var lines = ["message \(standing.message) to hub \(standing.name): \(state)"]
        if let lane = book?.hubs.first?.lane, lane.state != "open" {
            lines.append("  the hub is \(lane.state)" + (lane.why.map { ": \($0)" } ?? ""))
        }
        if let refusal {
            lines.append("  it would not be sent (\(refusal.reason.rawValue)): \(refusal.text)")
        } else if let post, let why {
            lines.append(
                "  post \(post.number) of its lane: \(HumanFormat.count(post.rows.count, "row")), "
                    + "\(PlanBook.Hub.bytes(post.bytes)), to \(post.target ?? "everyone")")
            lines += why.lines.map { "  \($0)" }
        } else if !standing.mates.isEmpty {
            lines.append("  with it in post \(standing.post ?? 0): \(PlanBook.list(standing.mates.map(Int.init)))")
        }
        return lines.map(\.onOneLine).joined(separator: "\n")
    }

    private var state: String {
        if let due = standing.dueAt {
            let time = HumanFormat.time(secondsSince1970: due)
            return due > asOf ? "due at \(time), in \(HumanFormat.duration(due - asOf))" : "due since \(time)"
        }
        let status = standing.status?.rawValue ?? "pending"
        let reason = standing.reason.map { " (\($0.rawValue))" } ?? ""
        let since = standing.since.map { " since \(HumanFormat.time(secondsSince1970: $0))" } ?? ""
        let worker = standing.worker.map { ", held by worker \($0)" } ?? ""
        return status + reason + since + worker + (standing.note.map { ": \($0)" } ?? "")
    }

    private var json: JSONOutput {
        .object([
            "message": .number(standing.message), "hub": .text(standing.name),
            "priority": .text("\(standing.priority)"), "lead": .number(standing.lead),
            "as_of": .text(HumanFormat.time(secondsSince1970: asOf)),
            "due_at": .text(standing.dueAt.map { HumanFormat.time(secondsSince1970: $0) }),
            "status": .text(standing.status?.rawValue), "reason": .text(standing.reason?.rawValue),
            "note": .text(standing.note), "worker": .text(standing.worker), "post": .number(standing.post),
            "mates": .list(standing.mates.map { .number($0) }),
            "refusal": refusal.map {
                .object(["reason": .text($0.reason.rawValue), "text": .text($0.text)])
            } ?? .null,
            "planned": post?.json(body: nil) ?? .null, "why": why?.json ?? .null,
        ])
    }
}
