/// Something the demo says about itself, and whether it was found to be so.
struct DemoAssertion: Sendable, Equatable {
    var text: String
    var holds: Bool
    /// What was found instead.
    var found: String?

    /// - Parameter wrong: what was found; nil: it is as claimed.
    init(_ text: String, wrong: String?) {
        self.text = text
        holds = wrong == nil
        found = wrong
    }
}

extension DemoResults {
    /// What the demo checks once every story is sent.
    var storyClaims: [DemoAssertion] {
        let expected = phones.reduce(0) { $0 + $1.expected(stories).count }
        let carried = posts.reduce(0) { $0 + $1.rows }
        let refused = posts.filter { $0.status != 201 }.count
        let isFolded = results.count == rows && carried == rows && posts.count == stories.count
        let different = phones.filter { shown[$0.id, default: []] != $0.expected(stories) }
        let unaccepted = results.filter { $0.status != "accepted" || $0.reason != "taken_by_hub" || $0.http != 201 }
        return [
            DemoAssertion(
                "\(rows) rows became \(posts.count) posts, and the posts \(notifications) notifications on "
                    + "\(phones.count) phones",
                wrong: isFolded && notifications == expected
                    ? nil
                    : "\(results.count) rows are in the tables, \(carried) were carried; \(stories.count) posts and "
                        + "\(expected) notifications were expected"),
            DemoAssertion(
                "every phone shows what it follows, in its language, once",
                wrong: different.isEmpty ? nil : "not so: " + different.map(\.owner).joined(separator: ", ")),
            DemoAssertion(
                "the hub took every post: signature, expiry and form were checked, and it found nothing odd",
                wrong: refused == 0 && warnings.isEmpty
                    ? nil : (["\(refused) refused"] + warnings).joined(separator: "; ")),
            DemoAssertion(
                "every row has its result: accepted",
                wrong: unaccepted.isEmpty && !results.isEmpty ? nil : "\(unaccepted.count) have not"),
        ]
    }

    /// What can be said when everything is sent.
    var finalClaims: [DemoAssertion] {
        var claims = [
            DemoAssertion("nothing is lost: push.lost is empty", wrong: lost == 0 ? nil : "it has \(lost) rows")
        ]
        if let load { claims = load.claims + claims }
        return claims
    }

    /// What can be said when everything has ended.
    var endClaims: [DemoAssertion] {
        guard let ended else { return [] }
        return [
            DemoAssertion(
                "the worker, the hub and PostgreSQL have ended and left nothing behind",
                wrong: ended.isClean && ended.isGone
                    ? nil : ended.isGone ? "the worker left claims" : "the directory of PostgreSQL is still there")
        ]
    }

    var claims: [DemoAssertion] { storyClaims + finalClaims + endClaims }
}
