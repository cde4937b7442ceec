/// Finds every promise to a person who steers runs that was not kept. Pure: facts in, breaches out.
struct SteeringChecker {
    private let facts: SteeringFacts
    private var breaches = Breaches<SteeringPromise>()

    /// Seconds from the answer to a pause or a cancel in which what was on the wire by then may arrive: a lease.
    static let onTheWire = TestBed.leaseSeconds + 1

    /// In the order of the promises; empty: all were kept.
    static func breaches(in facts: SteeringFacts) -> [Breach<SteeringPromise>] {
        var checker = SteeringChecker(facts: facts)
        for run in facts.runs {
            checker.checkEnd(of: run)
            checker.checkSilence(of: run)
            for hub in SteeringFacts.hubs {
                for key in facts.audience.keys { checker.check(.init(run: run.number, hub: hub, key: key), run) }
            }
        }
        checker.checkTheRest()
        return checker.breaches.all
    }

    private init(facts: SteeringFacts) { self.facts = facts }

    private mutating func checkEnd(of run: SteeredRun) {
        let isRight =
            switch run.wish {
            case .done: run.state == .done
            case .cancelled: run.state == .cancelled
            case .either: run.state == .done || run.state == .cancelled
            }
        if !isRight || !run.isClosed {
            let state = run.state.map { "\($0.rawValue)\(run.isClosed ? "" : ", not counted")" } ?? "missing"
            breaches.report(.endsAsAsked, "run \(run.number) is \(state), and was asked to be \(run.wish)")
        }
    }

    private mutating func checkSilence(of run: SteeredRun) {
        for moment in facts.heard[run.number] ?? [] {
            // Posts that a worker held when it was stopped may leave when it continues.
            let isHeld = facts.standstills.contains { $0.contains(moment) }
            for quiet in run.quiet where !isHeld && quiet.contains(moment) {
                let seconds = moment - quiet.lowerBound
                if seconds > Self.onTheWire {
                    breaches.report(
                        .silenceIsKept, "a send of run \(run.number) came \(Report.seconds(seconds)) after it stopped")
                }
            }
        }
    }

    private mutating func check(_ place: SteeringFacts.Place, _ run: SteeredRun) {
        let this = facts.recipients[place] ?? .init()
        let name = "key \(place.key) of run \(place.run) on \(place.hub)"
        if this.taken > 1 { breaches.report(.nothingIsRepeated, "\(name) was taken \(this.taken) times") }
        let kind = facts.audience.kind(of: place.key)
        if kind == .suppressed {
            if this.messages + this.taken > 0 {
                breaches.report(
                    .suppressedGetNothing, "\(name) has \(this.messages) messages and was taken \(this.taken) times")
            }
            return
        }
        if this.messages > 1 || this.messages == 0 && run.state == .done {
            breaches.report(.oneMessageEach, "\(name) has \(this.messages) messages")
        }
        if this.messages > 0, !isEnd(this.status, of: kind, in: run) {
            breaches.report(.oneEndEach, "\(name) is \(this.status.isEmpty ? "without a result" : this.status)")
        }
        if this.status == "accepted", this.taken == 0 {
            breaches.report(.acceptedMeansTaken, "\(name) is accepted and was not taken")
        }
        if this.taken > 0, this.status != "accepted", this.status != "in_doubt" {
            breaches.report(.takenIsRecorded, "\(name) was taken and is \(this.status)")
        }
    }

    private func isEnd(_ status: String, of kind: CampaignAudience.Kind, in run: SteeredRun) -> Bool {
        switch status {
        case "cancelled": run.state == .cancelled
        case "rejected": kind == .unreachable
        case "accepted", "in_doubt": kind != .unreachable
        default: false
        }
    }

    private mutating func checkTheRest() {
        if facts.left > 0 { breaches.report(.endsAsAsked, "\(facts.left) pointers or claims are left") }
        if facts.hasGap { breaches.report(.numbersAgree, "the hubs' journal is not whole, so nothing is proved") }
        for line in facts.strange { breaches.report(.nobodyElseIsSent, line) }
        for line in facts.differences { breaches.report(.numbersAgree, line) }
        for line in facts.hostile { breaches.report(.viewsOnlyRead, line) }
        for line in facts.lost { breaches.report(.lostIsEmpty, "push.lost: \(line)") }
    }
}
