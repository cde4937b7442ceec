import PushModel
import CommandLineTool

extension BenchResults {
    /// The same facts for programs. Times in milliseconds.
    var json: JSONOutput {
        let limit = limit
        let enqueue: JSONOutput = .object([
            "insert_ms": insert.json, "sessions": .number(plan.sessions),
            "inserts_per_second": .decimal(insertsAtOnce), "bulk_per_second": .decimal(bulk),
        ])
        let statements: JSONOutput = .object([
            "alone": alone.json, "packed": packed.json, "packed_messages_a_post": .number(BenchPlan.packed),
        ])
        let limited: JSONOutput = .object([
            "cause": .text(limit.cause.rawValue), "messages_per_second": .decimal(limit.ceiling),
            "text": .text(limit.text),
        ])
        return .object([
            "version": .text(fanfareVersion), "messages": .number(plan.messages), "window": .number(plan.window),
            "processors": .number(processors), "server": server.json,
            "round_trip_ms": roundTrip.json, "bare_insert_ms": bareInsert.json, "commit_ms": .milliseconds(commit),
            "enqueue": enqueue, "statements": statements, "insert_to_request_ms": idle.json, "whole": whole.json,
            "limit": limited,
        ])
    }
}

extension BenchResults.Server {
    fileprivate var json: JSONOutput {
        .object([
            "version": .text(version), "ground": .text(ground), "fsync": .flag(fsync),
            "synchronous_commit": .text(synchronousCommit), "pooled": .flag(isPooled),
        ])
    }
}

extension BenchResults.Statements {
    fileprivate var json: JSONOutput {
        let perThousand = perMessage * 1_000
        return .object([
            "messages_per_second": .decimal(rate), "claim_ms": claim.json, "intent_ms": intent.json,
            "completion_ms": completion.json, "per_1000_messages": .decimal(perThousand),
        ])
    }
}

extension BenchResults.Whole {
    fileprivate var json: JSONOutput {
        let microseconds = cpuPerMessage * 1_000_000
        let perThousand = transactionsPerMessage.map { $0 * 1_000 }
        return .object([
            "messages_per_second": .decimal(rate), "posts": .number(posts),
            "worker_cpu_us_a_message": .decimal(microseconds), "busy": .decimal(busy),
            "answers_ms": answers.json,
            "transactions_per_1000_messages": .decimal(perThousand),
        ])
    }
}
