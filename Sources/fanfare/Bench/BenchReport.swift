import CommandLineTool
import PushModel

/// What a person reads of a bench without a hub. Pure.
struct BenchReport: Sendable {
    let facts: BenchResults

    var text: String { [head, table, worker, limit].joined(separator: "\n\n") }

    private var head: String {
        let server = facts.server
        var line =
            "PostgreSQL \(server.version), \(server.ground), fsync \(server.fsync ? "on" : "off"), "
            + "synchronous_commit \(server.synchronousCommit)"
        if server.isPooled { line += ", behind a pooler" }
        return line + "\nthis machine: \(HumanFormat.count(facts.processors, "processor"))" + Self.build
    }

    private static var build: String {
        #if DEBUG
            "; this is a debug build, a release build is several times faster"
        #else
            ""
        #endif
    }

    private var table: String {
        var table = TextTable([.text("WHAT"), .number("P50"), .number("P99"), .number("A SECOND")])
        func add(_ what: String, _ samples: Samples?, rate: Double? = nil) {
            table.add([
                what, samples.map { HumanFormat.moment($0.median) }, samples.map { HumanFormat.moment($0.p99) },
                rate.map { HumanFormat.grouped(Int($0.rounded())) },
            ])
        }
        add("a round trip to the database", facts.roundTrip)
        add("a row into a bare table, so also a commit", facts.bareInsert)
        add("INSERT of a message, 1 session", facts.insert, rate: 1 / max(1e-9, facts.insert.median))
        add("INSERT of a message, \(facts.plan.sessions) sessions", nil, rate: facts.insertsAtOnce)
        add("INSERT ... SELECT, 1,000 messages a statement", nil, rate: facts.bulk)
        add("  a claim of 1,000", facts.alone.claim)
        add("  an intent for \(facts.plan.window) posts", facts.alone.intent)
        add("  a completion of 1,000 posts", facts.alone.completion)
        add("claim to result without HTTP, 1 message a post", nil, rate: facts.alone.rate)
        add("claim to result without HTTP, \(BenchPlan.packed) a post", nil, rate: facts.packed.rate)
        add("from INSERT to the request, idle", facts.idle)
        add("from a request to its answer, hub in this process", facts.whole.answers)
        add("the whole, 1 message a post, window \(facts.plan.window)", nil, rate: facts.whole.rate)
        return table.onScreen
    }

    private var worker: String {
        var parts = ["worker: \(HumanFormat.moment(facts.whole.cpuPerMessage)) CPU a message"]
        if let transactions = facts.whole.transactionsPerMessage {
            parts.append(
                "\(Int((transactions * 1_000).rounded())) transactions per 1,000 messages, looking for work included")
        }
        if let busy = facts.whole.busy { parts.append("processors \(Int((busy * 100).rounded())) % busy") }
        return parts.joined(separator: "; ")
    }

    private var limit: String {
        let far = Int((Double(facts.plan.window) / 0.05).rounded())
        return "limit: " + facts.limit.text
            + "\nA hub that answers after 50 ms takes at most \(HumanFormat.grouped(far)) posts/s through this window; "
            + "fanfare bench --hub NAME --tag TAG measures yours."
    }
}
