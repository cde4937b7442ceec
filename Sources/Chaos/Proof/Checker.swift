/// Finds every promise that was not kept. Pure: facts in, violations out.
///
/// The promises are the invariant of docs/storage.md; each has a function here.
public struct Checker {
    let facts: Facts
    let parser: SendParser
    /// Of each message, in the order of time.
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
            checker.checkDoubt(of: message)
        }
        checker.checkAnswers()
        return checker.found
    }

    private init(_ facts: Facts) {
        self.facts = facts
        parser = SendParser(facts)
        results = Dictionary(grouping: facts.results, by: \.id).mapValues { $0.sorted { $0.at < $1.at } }
        posts = Dictionary(facts.posts.map { ($0.id, $0) }) { first, _ in first }
        var postsOf: [Int64: [Facts.Post]] = [:]
        for post in facts.posts { for message in post.messages { postsOf[message, default: []].append(post) } }
        self.postsOf = postsOf
    }

    mutating func report(_ promise: Violation.Promise, _ message: Int64? = nil, _ detail: String) {
        found.append(Violation(promise, message: message, detail))
    }

    private mutating func checkPresence() {
        let known = Set(facts.messages.map(\.id))
        for id in facts.confirmed where !known.contains(id) {
            report(.nothingConfirmedIsMissing, id, "its INSERT was confirmed and there is no such row")
        }
        for line in facts.lost { report(.lostIsEmpty, nil, "push.lost: \(line)") }
        for arrival in parser.strange where arrival.mayBeSent {
            report(.everyPostIsWrittenDown, nil, "send \(arrival.number) carried no message that is known")
        }
        for id in facts.cancelled {
            if results[id]?.last?.status != "cancelled" {
                report(.cancelledMeansUnsent, id, "a person was told that it is cancelled, and it is \(status(of: id))")
            }
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
