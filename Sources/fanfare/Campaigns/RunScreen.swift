import CommandLineTool
import PushModel
import Store

/// How far a run is, on one screen. Pure.
enum RunScreen {
    static let barWidth = 20

    /// Two lines; and why, and what the next run would not send, if there is something to say.
    static func text(of run: RunProgress) -> String {
        [
            line(of: run), counts(of: run), run.why.map { "  \($0.onOneLine)" }, opening(run), waiting(run),
            bypassing(run),
            run.unapproved.map { "  \($0.onOneLine)" },
        ]
        .compactMap(\.self).joined(separator: "\n")
    }

    /// `spring 2027-03-01   running   412,300 of ~1,000,000   41 %  ████████░░░░   498/s   about 19 min`
    static func line(of run: RunProgress) -> String {
        let done = settled(run)
        var parts = ["\(run.campaign) \(run.key.onOneLine)", run.state.rawValue]
        if let total = run.total {
            let share = total == 0 ? 1 : min(1, Double(done) / Double(total))
            parts.append("\(HumanFormat.grouped(done)) of \(run.isExpanded ? "" : "~")\(HumanFormat.grouped(total))")
            parts.append("\(Int(share * 100)) %  \(bar(share))")
        } else {
            parts.append(HumanFormat.grouped(done))
        }
        if run.state == .running, run.perSecond > 0 { parts.append("\(HumanFormat.grouped(Int(run.perSecond)))/s") }
        if let eta = run.eta, run.state == .running { parts.append("about \(HumanFormat.duration(eta))") }
        if run.state.isOver { parts.append("took \(HumanFormat.duration(run.took))") }
        return parts.joined(separator: "   ")
    }

    /// Recipients of whom it is known what became of them.
    private static func settled(_ run: RunProgress) -> Int64 {
        run.expanded - run.pending - run.underWay + run.leftOut
    }

    private static func counts(of run: RunProgress) -> String {
        var parts = ["accepted \(HumanFormat.grouped(run.accepted))"]
        let reasons = run.reasons == "{}" ? "" : " (\(plain(run.reasons)))"
        parts.append("refused \(HumanFormat.grouped(run.rejected))\(reasons)")
        parts.append("in doubt \(HumanFormat.grouped(run.inDoubt))")
        if run.expired > 0 { parts.append("expired \(HumanFormat.grouped(run.expired))") }
        if run.cancelled > 0 { parts.append("cancelled \(HumanFormat.grouped(run.cancelled))") }
        if run.underWay > 0 { parts.append("under way \(HumanFormat.grouped(run.underWay))") }
        if run.pending > 0 { parts.append("pending \(HumanFormat.grouped(run.pending))") }
        if run.suppressed > 0 { parts.append("suppressed \(HumanFormat.grouped(run.suppressed))") }
        if run.capped > 0 { parts.append("capped \(HumanFormat.grouped(run.capped))") }
        if run.doubleKey > 0 {
            parts.append("double key \(HumanFormat.grouped(run.doubleKey)) (\((run.doubleExample ?? "").onOneLine))")
        }
        if run.passed > 0 { parts.append("passed \(HumanFormat.grouped(run.passed))") }
        if run.outsideWindow > 0 { parts.append("outside window \(HumanFormat.grouped(run.outsideWindow))") }
        if let never = run.neverMade, never > 0 {
            parts.append(
                "\(run.state.isOver || run.state == .cancelling ? "never" : "not") made \(HumanFormat.grouped(never))")
        }
        if run.unknownZone > 0 { parts.append("unknown zone \(HumanFormat.grouped(run.unknownZone))") }
        if let rate = run.rate { parts.append("rate \(HumanFormat.rate(rate))/s") }
        parts.append("revision \(run.revision)")
        if run.isTest { parts.append("a test") }
        return "  " + parts.joined(separator: "   ")
    }

    /// `{"target_gone": 1850, "bad_request": 1}` as `target_gone 1,850, bad_request 1`.
    private static func plain(_ reasons: String) -> String {
        reasons.filter { !"{}\" ".contains($0) }.split(separator: ",").map { reason in
            let parts = reason.split(separator: ":")
            return "\(parts[0]) \(parts.last.flatMap { Int64($0) }.map { HumanFormat.grouped($0) } ?? "")"
        }.joined(separator: ", ")
    }

    private static func opening(_ run: RunProgress) -> String? {
        guard let until = run.waitsUntil else { return nil }
        return run.waitsFor == "window"
            ? "  waits for its window until \(until)" : "  waits for its next time zone until \(until)"
    }

    private static func waiting(_ run: RunProgress) -> String? {
        guard !run.state.isOver, !run.unserved.isEmpty else { return nil }
        return "  no worker serves \(run.unserved.joined(separator: ", "))"
    }

    private static func bypassing(_ run: RunProgress) -> String? {
        run.bypassesSuppression ? "  reaches suppressed recipients, too" : nil
    }

    /// What became of the recipients of a run that was cancelled: the first three always, the others where there are some.
    ///
    /// `campaign spring, run k: of ~200,000 recipients 9,896 sent, 26,104 taken back, ~164,000 never made`
    static func text(ofStopped run: RunProgress) -> String {
        let total = run.total.map { "of \(run.isExpanded ? "" : "~")\(HumanFormat.grouped($0)) recipients " } ?? ""
        let never = run.neverMade.map { "\(run.isExpanded ? "" : "~")\(HumanFormat.grouped($0)) never made" }
        let first = [
            "\(HumanFormat.grouped(run.accepted)) sent", "\(HumanFormat.grouped(run.cancelled)) taken back", never,
        ]
        let others: [(Int64, String)] = [
            (run.rejected, "refused"), (run.expired, "expired"), (run.inDoubt, "in doubt"),
            (run.underWay + run.pending, "under way"), (run.leftOut, "left out"),
        ]
        let rest = others.filter { $0.0 > 0 }.map { "\(HumanFormat.grouped($0.0)) \($0.1)" }
        let parts = (first.compactMap(\.self) + rest).joined(separator: ", ")
        return "campaign \(run.campaign), run \(run.key.onOneLine): \(total)\(parts)"
    }

    /// The same as JSON: `total` is the sum of the others.
    static func stopped(_ run: RunProgress) -> [String: JSONOutput] {
        [
            "campaign": .text(run.campaign), "run": .text(run.key), "sent": .number(run.accepted),
            "taken_back": .number(run.cancelled), "never_made": .number(run.neverMade),
            "rejected": .number(run.rejected), "expired": .number(run.expired), "in_doubt": .number(run.inDoubt),
            "under_way": .number(run.underWay + run.pending), "left_out": .number(run.leftOut),
            "total": .number(run.total),
        ]
    }

    static func bar(_ share: Double) -> String {
        let full = Int(share * Double(barWidth))
        return String(repeating: "█", count: full) + String(repeating: "░", count: barWidth - full)
    }
}

extension RunProgress {
    /// With the names of the columns of push.run_progress.
    var members: [String: JSONOutput] {
        [
            "campaign": .text(campaign), "key": .text(key), "state": .text(state.rawValue), "why": .text(why),
            "expanded": .number(expanded), "total": .number(total), "is_expanded": .flag(isExpanded),
            "accepted": .number(accepted), "rejected": .number(rejected), "expired": .number(expired),
            "cancelled": .number(cancelled), "in_doubt": .number(inDoubt), "under_way": .number(underWay),
            "pending": .number(pending), "suppressed": .number(suppressed), "capped": .number(capped),
            "bypasses_suppression": .flag(bypassesSuppression), "per_second": .decimal(perSecond),
            "rate": .decimal(rate), "eta": .decimal(eta), "revision": .number(revision), "took": .decimal(took),
            "started_at": .text(startedAt), "started_by": .text(startedBy),
            "unserved": .list(unserved.map { .text($0) }), "is_test": .flag(isTest), "unapproved": .text(unapproved),
            "passed": .number(passed), "outside_window": .number(outsideWindow), "unknown_zone": .number(unknownZone),
            "waits_until": .text(waitsUntil), "waits_for": .text(waitsFor), "double_key": .number(doubleKey),
            "double_example": .text(doubleExample), "never_made": .number(neverMade),
        ]
    }
}
