// What has to hold for one message.
extension Checker {
    /// It has a final result or waits for its time, and the view says the same.
    mutating func checkState(of message: Facts.Message) {
        let newest = results[message.id]?.last
        let isFinal = newest?.isFinal ?? false
        switch message.status {
        case "claimed", "posting":
            report(.nothingIsStuck, message.id, "is \(message.status) although everything has come to rest")
        case "due", "scheduled", "waiting", "retrying":
            if isFinal { report(.oneFinalState, message.id, "is \(message.status) and has a final result") }
            if message.isOverdue {
                report(.nothingIsStuck, message.id, "is \(message.status), it is due, and no worker sends it")
            }
        default:
            if newest?.status != message.status || !isFinal {
                report(
                    .oneFinalState, message.id,
                    "is said to be \(message.status); its newest result is \(status(of: message.id))")
            }
        }
    }

    /// Each result may follow the one before it.
    mutating func checkHistory(of message: Facts.Message) {
        let results = results[message.id] ?? []
        var highest: Int64 = 0
        for (before, after) in zip(results, results.dropFirst()) {
            if let problem = Self.problem(before, after) { report(.staleChangesNothing, message.id, problem) }
        }
        for result in results {
            guard let post = result.post, !result.isResolved else { continue }
            let claim = post / 10_000
            if claim < highest, !isSettling(result, among: results) {
                report(
                    .staleChangesNothing, message.id,
                    "claim \(claim) wrote \(result.status) after claim \(highest) had written")
            }
            highest = max(highest, claim)
        }
    }

    /// A late answer to the post that put it in doubt.
    private func isSettling(_ result: Facts.Result, among results: [Facts.Result]) -> Bool {
        results.contains { $0.status == "in_doubt" && $0.post == result.post && $0.arrival <= result.arrival }
    }

    /// nil: the second may follow the first.
    private static func problem(_ before: Facts.Result, _ after: Facts.Result) -> String? {
        switch before.status {
        case "retrying":
            let isTwice =
                before.post != nil && before.post == after.post && before.post.map { $0 % 10_000 != 0 } == true
            return isTwice ? "post \(before.post ?? 0) gave it two results: retrying and \(after.status)" : nil
        case "in_doubt":
            if after.isResolved { return nil }
            // Tried again: the answer said that it was not taken. Without an answer, the doubt already covers it.
            let isSaid =
                ["accepted", "rejected"].contains(after.status)
                || after.status == "retrying" && after.reason != "resent"
            let settles = isSaid && after.post == before.post
            return settles
                ? nil : "in doubt because of post \(before.post ?? 0), then \(after.status) by post \(after.post ?? 0)"
        case "rejected", "expired":
            return after.isResolved && after.status == "retrying" ? nil : "was \(before.status), then \(after.status)"
        default:
            return "was \(before.status), then \(after.status)"
        }
    }

    /// It was sent as often as a row or a person asked for, each time after its intent, and the hub took what is accepted.
    mutating func checkPosts(of message: Facts.Message) {
        let arrivals = parser.arrivals[message.id] ?? []
        let posts = postsOf[message.id] ?? []
        let allowed = allowance(of: message)
        let sent = arrivals.filter(\.mayBeSent)
        if sent.count > allowed {
            let numbers = sent.map { "\($0.number)" }.joined(separator: ", ")
            let promise: Violation.Promise =
                status(of: message.id) == "cancelled" ? .cancelledMeansUnsent : .nothingIsRepeated
            report(
                promise, message.id, since: sent.map(\.at),
                "is \(status(of: message.id)) and went out in sends \(numbers): \(sent.count), allowed \(allowed)")
        }
        let maybe = posts.filter(\.mayBeSent)
        if maybe.count > allowed {
            report(
                .nothingIsRepeated, message.id, since: arrivals.map(\.at),
                "\(maybe.count) posts accepted or unanswered, allowed \(allowed): \(maybe.map(\.id))")
        }
        let seen = parser.certain[message.id] ?? 0
        if seen > posts.count {
            report(
                .everyPostIsWrittenDown, message.id, since: arrivals.map(\.at),
                "the hub saw it \(seen) times; \(posts.count) posts are written down")
        }
        let newest = results[message.id]?.last
        if newest?.status == "accepted", newest?.isResolved == false, !arrivals.contains(where: \.isTaken) {
            report(.acceptedMeansTaken, message.id, "is accepted; the hub never took it")
        }
    }

    /// How many of its posts may have been accepted or left unanswered.
    private func allowance(of message: Facts.Message) -> Int {
        let results = results[message.id] ?? []
        // Each of these is consent, by the row or by a person, to send once more.
        let asked = results.count { $0.status == "retrying" && ($0.reason == "resent" || $0.isResolved) }
        guard let newest = results.last else { return asked }
        let mayHaveLeft =
            switch newest.status {
            case "accepted", "in_doubt": true
            // A person decided a doubt; or the row allowed another try and there was no time or attempt left for it.
            case "rejected": newest.isResolved || newest.reason == "attempts_exhausted"
            case "expired": true
            default: false
            }
        return asked + (mayHaveLeft ? 1 : 0)
    }

    /// It was not rejected for ten attempts of which none met a refusal: what passes by is waited for until it expires.
    mutating func checkRejection(of message: Facts.Message) {
        guard let newest = results[message.id]?.last, newest.status == "rejected",
            newest.reason == "attempts_exhausted"
        else { return }
        let verdicts = (postsOf[message.id] ?? []).compactMap { $0.answer?.verdict }
        guard verdicts.allSatisfy(Self.passing.contains) else { return }
        report(.nothingIsGivenUp, message.id, "was rejected after \(verdicts.joined(separator: ", "))")
    }

    /// Verdicts that say nothing against the message.
    private static let passing: Set<String> = ["throttled", "unavailable", "not_sent", "unknown"]

    /// Its post had no answer when it was put in doubt.
    mutating func checkDoubt(of message: Facts.Message) {
        for result in results[message.id] ?? [] where result.status == "in_doubt" {
            guard let id = result.post, let post = posts[id], post.messages.contains(message.id) else {
                report(.doubtMeansUnanswered, message.id, "in doubt, and no post \(result.post ?? 0) carried it")
                continue
            }
            let isTimed = !facts.clockSteps.contains {
                $0.lowerBound - 120 <= result.at && result.at <= $0.upperBound + 120
            }
            if isTimed, let answer = post.answer, answer.verdict != "unknown", answer.at < result.at {
                report(.doubtMeansUnanswered, message.id, "in doubt, and post \(id) was answered: \(answer.verdict)")
            }
            // At APNs it is in the same way for all posts: `checkWords`.
            guard result.reason == "answer_lost", TestHub(rawValue: message.hub)?.kind != .apns else { continue }
            // The hub's side of it: nothing arrived, or what arrived was cut or spoilt, or the worker stood still.
            let arrivals = parser.arrivals[message.id] ?? []
            let isExcused =
                arrivals.isEmpty
                || arrivals.contains { arrival in
                    arrival.status == nil || arrival.isSpoilt
                        || facts.pauses.contains { $0.lowerBound - 60 <= arrival.at && arrival.at <= $0.upperBound }
                }
            if !isExcused {
                report(
                    .doubtMeansUnanswered, message.id,
                    "its answer is said to be lost; the hub answered every send of it")
            }
        }
    }

    /// What a post says it was answered is what the hub answered.
    mutating func checkAnswers() {
        let byReceipt = Dictionary(facts.arrivals.compactMap { a in a.receipt.map { ($0, a) } }) { first, _ in first }
        for post in facts.posts {
            guard let answer = post.answer, answer.verdict == "accepted" else { continue }
            guard let receipt = answer.receipt else {
                // Of an answer that was cut behind its status only that is known.
                let carried = post.messages.flatMap { parser.arrivals[$0] ?? [] }
                if !carried.contains(where: { $0.isTaken && $0.isSpoilt }) {
                    report(.acceptedMeansTaken, post.messages.first, "post \(post.id) is accepted without a receipt")
                }
                continue
            }
            guard let arrival = byReceipt[receipt] else {
                report(
                    .acceptedMeansTaken, post.messages.first,
                    "post \(post.id) is accepted by an answer the hub never gave")
                continue
            }
            if !arrival.isTaken {
                report(.acceptedMeansTaken, post.messages.first, "post \(post.id) is accepted; the hub did not take it")
            }
        }
    }
}
