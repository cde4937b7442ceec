import PushModel
import CommandLineTool

extension DemoResults {
    /// The same facts for programs.
    ///
    /// - Parameter site: how to get in, while it stays up.
    func json(directory: String, psql: String?) -> JSONOutput {
        .object([
            "version": .text(fanfareVersion), "directory": .text(directory), "psql": .text(psql),
            "statements": .list(stories.map { .text($0.statement) }),
            "rows": .number(rows), "notifications": .number(notifications),
            "posts": .list(posts.map(\.json)),
            "phones": .list(phones.map { json(of: $0) }),
            "results": .list(results.map(\.json)),
            "latency_ms": latency?.json ?? .null,
            "lost": .number(lost),
            "load": load?.json ?? .null,
            "claims": .list(
                claims.map { claim in
                    .object([
                        "claim": .text(claim.text), "holds": .flag(claim.holds), "found": .text(claim.found),
                    ])
                }),
            "ok": .flag(claims.allSatisfy(\.holds)),
        ])
    }

    private func json(of phone: DemoPhone) -> JSONOutput {
        .object([
            "id": .text(phone.id), "owner": .text(phone.owner), "language": .text(phone.language.word),
            "follows": .list(phone.follows.map { .text($0) }),
            "template": .text(phone.template),
            "shows": .list(
                (shown[phone.id] ?? []).map { .object(["title": .text($0.title), "body": .text($0.news)]) }),
        ])
    }
}

extension DemoResults.Post {
    fileprivate var json: JSONOutput {
        .object([
            "tags": .text(tags), "properties": .list(properties.map { .text($0) }), "bytes": .number(bytes),
            "milliseconds": .number(milliseconds), "rows": .number(rows), "status": .number(status),
            "notifications": .number(notifications),
        ])
    }
}

extension DemoResults.Result {
    fileprivate var json: JSONOutput {
        .object([
            "id": .number(id), "target": .text(target), "locale": .text(locale), "status": .text(status),
            "reason": .text(reason), "http": .number(http),
        ])
    }
}

extension DemoResults.Latency {
    fileprivate var json: JSONOutput {
        .object(["p50": .decimal(median), "p99": .decimal(p99), "slowest": .decimal(slowest)])
    }
}

extension DemoLoad.Facts {
    fileprivate var json: JSONOutput {
        .object([
            "messages": .number(count), "seconds": .decimal(seconds), "messages_per_second": .decimal(rate),
            "latency_ms": latency.json, "accepted": .number(latency.messages), "taken_once": .number(audit.taken),
            "taken_again": .number(audit.twice), "missing": .number(audit.missing),
        ])
    }
}
