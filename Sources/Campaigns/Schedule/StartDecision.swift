/// What happens with a time that comes while another run of the campaign is not over.
package enum Overlap: String, Sendable, CaseIterable {
    case skip, queue, cancel, allow
}

/// Why a time starts a run now.
package enum Occasion: String, Sendable, CaseIterable {
    case onTime = "on time"
    /// Missed, and the last of those that were: `Misfire.once`.
    case once
    /// Missed, under `Misfire.all`.
    case all
    /// A person asked for it.
    case backfill
}

/// What a schedule does with one of its times. Pure.
///
/// `push_internal.decide_start` is the same in SQL, because which run is open is known under its lock only; a test compares
/// both over all combinations, and with the table of docs/cron.md.
package enum StartDecision: String, Sendable, CaseIterable {
    case start, wait, skip
    /// Cancels the runs that are open, and starts.
    case cancel

    /// The states of a run that is not over, as `push.run_state` has them. Of several runs a waiting one counts.
    package enum Open: String, Sendable, CaseIterable {
        case waiting, canary, running, paused, cancelling
    }

    /// - Parameter open: nil: no run of the campaign is open.
    package init(_ overlap: Overlap, _ occasion: Occasion, open: Open?) {
        guard let open else {
            self = .start
            return
        }
        // Missed starts that are made up run one after the other, whatever the overlap rule of regular times.
        if occasion == .all || occasion == .backfill {
            self = .wait
            return
        }
        switch overlap {
        case .skip: self = .skip
        case .queue: self = open == .waiting ? .skip : .wait
        case .cancel: self = .cancel
        case .allow: self = .start
        }
    }
}
