import PushModel

extension SystemStatus.Hub {
    /// Why it takes no posts, and what else is to be said about it, in one line.
    package var reasons: String { [why, note].compactMap(\.self).joined(separator: "; ") }

    /// `10,000+` where the count stopped.
    package var dueText: String { moreDue ? HumanFormat.grouped(due) + "+" : "\(due)" }
    package var laterText: String { moreLater ? HumanFormat.grouped(later) + "+" : "\(later)" }

    /// `12/64`: posts in flight, and how many there may be; nil while no worker serves the hub.
    package var flight: String? {
        guard let inFlight, let window else { return nil }
        return "\(inFlight)/\(window)"
    }
}
