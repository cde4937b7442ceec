import Pages
import PushModel
import Store

/// What became of the recipients of a run, in numbers that add up to all of them. Pure.
struct RunCountsView {
    struct Count {
        let countName: String
        /// Of the badge; nil: no message has that state.
        let countLook: String?
        let countNumber: String
        /// What it means.
        let countWords: String
        /// Of the messages; nil: there is no page of them, or the person may not see it.
        let countAddress: String?
    }

    let counts: [Count]
    /// Of all messages of the run; nil: the person may not see messages.
    let allAddress: String?

    init(_ run: RunProgress, for visit: Visit) {
        func address(_ status: Status?) -> String? {
            var fields = ["campaign": run.campaign, "run": run.key]
            fields["status"] = status?.rawValue
            return visit.existing(["messages"], fields)
        }
        func ended(_ status: Status, _ name: String, _ number: Int64, _ words: String) -> Count {
            Count(
                // No alarm over nothing.
                countName: name, countLook: number > 0 ? StatusLook.of(status.rawValue).rawValue : nil,
                countNumber: HumanFormat.grouped(number), countWords: words,
                countAddress: number > 0 ? address(status) : nil)
        }
        func other(_ name: String, _ number: Int64?, _ words: String, always: Bool = false) -> Count? {
            guard let number else {
                return Count(
                    countName: name, countLook: nil, countNumber: "not known", countWords: words, countAddress: nil)
            }
            guard always || number > 0 else { return nil }
            return Count(
                countName: name, countLook: nil, countNumber: HumanFormat.grouped(number), countWords: words,
                countAddress: nil)
        }
        allAddress = run.expanded > 0 ? address(nil) : nil
        let isNeverMade = run.state.isOver || run.state == .cancelling
        // A key says who a recipient is: it is for those who keep audiences.
        let doubleExample =
            visit.person.may(.campaigns) ? run.doubleExample.map { ", such as \($0.quoted)" } ?? "" : ""
        counts = [
            ended(.accepted, "accepted", run.accepted, "The hub took them."),
            ended(.rejected, "refused", run.rejected, "They failed for good: the reasons are below."),
            ended(.expired, "expired", run.expired, "Their time was up before they were sent."),
            ended(.inDoubt, "in doubt", run.inDoubt, "They may have been sent; a person decides."),
            ended(.cancelled, "cancelled", run.cancelled, "They were taken back, or suppressed before they were sent."),
            other("under way", run.underWay, "A worker has them in hand.", always: true),
            other(
                "pending", run.pending, "They wait for a worker, for another try, or for the run to be resumed.",
                always: true),
            other(
                isNeverMade ? "never made" : "not made yet", run.neverMade,
                (run.isExpanded ? "" : "About: ") + "Recipients without a message."),
            other("suppressed", run.suppressed, "Left out: they are suppressed."),
            other("capped", run.capped, "Left out: enough campaigns of the group reached them."),
            other(
                "double keys", run.doubleKey,
                "Left out: a row with the same key came before\(doubleExample)."),
            other("passed", run.passed, "Left out: the time was past in their zone when the run began."),
            other("outside window", run.outsideWindow, "Left out: their window ended."),
            other(
                "unknown zone", run.unknownZone,
                "Of those with a message: they have no known time zone, and got it at the default's time."),
        ].compactMap(\.self)
    }
}
