/// Finds every promise that was not kept. Pure: facts in, violations out.
///
/// The promises are the invariant of docs/storage.md; each has a function here.
public struct Checker {
    let facts: Facts
    let parser: SendParser
    /// Of each message, in their order.
    let results: [Int64: [Facts.Result]]
    let posts: [Int64: Facts.Post]
    /// The posts of each message.
    let postsOf: [Int64: [Facts.Post]]
    var found: [Violation] = []

    public static func violations(in facts: Facts) -> [Violation] {
        var checker = Checker(facts)
        checker.checkPresence()
        checker.checkCounts()
        for message in facts.messages {
            checker.checkState(of: message)
            checker.checkHistory(of: message)
            checker.checkPosts(of: message)
            checker.checkRejection(of: message)
            checker.checkDoubt(of: message)
        }
        checker.checkGone()
        checker.checkUrgent()
        checker.checkErased()
        checker.checkAnswers()
        checker.checkWords()
        checker.checkDevices()
        return checker.found
    }

    private init(_ facts: Facts) {
        self.facts = facts
        parser = SendParser(facts)
        results = Dictionary(grouping: facts.results, by: \.id).mapValues { $0.sorted { $0.arrival < $1.arrival } }
        posts = Dictionary(facts.posts.map { ($0.id, $0) }) { first, _ in first }
        var postsOf: [Int64: [Facts.Post]] = [:]
        for post in facts.posts { for message in post.messages { postsOf[message, default: []].append(post) } }
        self.postsOf = postsOf
    }

    mutating func report(_ promise: Violation.Promise, _ message: Int64? = nil, _ detail: String) {
        found.append(Violation(promise, message: message, detail))
    }

    /// The same, for what a fail-over may have caused that lost commits.
    ///
    /// - Parameter moments: when the steps happened that were not kept, seconds since 1970.
    mutating func report(
        _ promise: Violation.Promise, _ message: Int64? = nil, since moments: [Double], _ detail: String
    ) {
        let isLoss = moments.contains { moment in facts.losses.contains { Self.mayBeLost(moment, in: $0) } }
        found.append(Violation(promise, message: message, isLoss: isLoss, detail))
    }

    /// A worker that stood still posts some time after its intent was committed.
    private static func mayBeLost(_ moment: Double, in loss: ClosedRange<Double>) -> Bool {
        loss.lowerBound - 1 <= moment && moment <= loss.upperBound + 20
    }

    private mutating func checkPresence() {
        let known = Dictionary(facts.messages.map { ($0.id, $0.marker) }) { first, _ in first }
        let deleted = Set(facts.deleted.map(\.id))
        for row in facts.confirmed where known[row.id] != row.marker && !deleted.contains(row.id) {
            report(
                .nothingConfirmedIsMissing, row.id, since: [row.at], "its INSERT was confirmed and there is no such row"
            )
        }
        // push.lost names what is left of a deleted message: its pointer until that is due and dropped, and for good a result
        // that a worker wrote in the same moment.
        let left = facts.deleted.flatMap { message in
            ["is pending or held, and has no row", "has a result, and no row"].map {
                "\(message.id) \($0) in push.message"
            }
        }
        let excused = Set(left)
        for line in facts.lost where !excused.contains(line) { report(.lostIsEmpty, nil, "push.lost: \(line)") }
        for arrival in parser.strange where arrival.mayBeSent {
            report(
                .everyPostIsWrittenDown, since: [arrival.at],
                "send \(arrival.number) carried no message that is known: tags \(arrival.tags ?? "none"), \(arrival.markers.sorted())"
            )
        }
        for (id, at) in facts.cancelled where !deleted.contains(id) {
            if results[id]?.last?.status != "cancelled" {
                report(
                    .cancelledMeansUnsent, id, since: [at],
                    "a person was told that it is cancelled, and it is \(status(of: id))")
            }
        }
    }

    private mutating func checkUrgent() {
        let waits = facts.urgentWaits()
        for row in facts.urgent {
            guard let seconds = waits[row.id] else {
                report(.urgentNeverWaits, row.id, "did not leave")
                continue
            }
            if seconds > UrgentTraffic.atMost {
                report(.urgentNeverWaits, row.id, "left \(Report.seconds(seconds)) after its INSERT")
            }
        }
    }

    /// Nothing of it is left, and no post left afterwards that was not in doubt before.
    private mutating func checkErased() {
        let known = Dictionary(facts.messages.map { ($0.id, $0) }) { first, _ in first }
        for row in facts.erased {
            guard let message = known[row.id], message.marker == row.marker else { continue }
            if message.hasTexts {
                report(.erasedMeansGone, row.id, since: [row.at], "was erased, and what it said is still there")
            }
            let wasInDoubt = results[row.id]?.contains { $0.status == "in_doubt" } ?? false
            let later = parser.arrivals[row.id]?.filter { $0.mayBeSent && $0.at > row.at } ?? []
            if let arrival = later.first, !wasInDoubt {
                report(.erasedMeansGone, row.id, since: [row.at], "was erased, and went out in send \(arrival.number)")
            }
        }
    }

    /// A backend deletes what push.gone_targets lists.
    private mutating func checkGone() {
        for handle in facts.gone where !MessageGenerator.isGone(handle) {
            report(.goneMeansGone, nil, "push.gone_targets lists \(handle)")
        }
    }

    private mutating func checkCounts() {
        for key in Set(facts.tally.keys).union(facts.counted.keys) {
            let (said, is_) = (facts.tally[key] ?? 0, facts.counted[key] ?? 0)
            if said != is_ {
                report(.tallyAgrees, nil, "\(key.hub) \(key.status) \(key.reason): tally \(said), results \(is_)")
            }
        }
    }

    func status(of id: Int64) -> String { results[id]?.last?.status ?? "without a result" }
}
