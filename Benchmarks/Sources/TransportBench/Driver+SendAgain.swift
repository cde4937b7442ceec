import HTTPTransport

extension Driver {
    /// Thrown when connections take no request any more.
    struct NothingLeaves: Error, CustomStringConvertible {
        var fault: Reply.Fault
        var description: String { "requests are refused again and again: \(fault.text)" }
    }

    /// As `batch`, to a server that ends connections: what was certainly not sent is sent again, as a worker would, and what is
    /// in doubt is not.
    ///
    /// - Throws: `NothingLeaves` when more than ten times as many requests were not sent as there are.
    func sendAgain(_ total: Int) async throws -> Tally {
        let channel = client.channel()
        var tally = Tally(ends: Array(repeating: .none, count: total))
        var waiting: [Int] = []
        var submitted = 0
        var open = 0
        var done = 0
        while done < total {
            var ids = waiting
            waiting.removeAll(keepingCapacity: true)
            let room = max(0, min(2 * inFlight - open - ids.count, total - submitted))
            ids.append(contentsOf: submitted..<submitted + room)
            submitted += room
            if !ids.isEmpty { channel.submit(try ids.map(load.request)) }
            open += ids.count
            for reply in await channel.replies() {
                open -= 1
                let id = Int(reply.id)
                switch reply.outcome {
                case .answered:
                    tally.ends[id] = reply.isAccepted ? .answered : .refused
                    if reply.isAccepted { tally.accepted += 1 }
                    done += 1
                case .unknown:
                    tally.ends[id] = .inDoubt
                    tally.inDoubt += 1
                    done += 1
                case .notSent(let fault):
                    waiting.append(id)
                    tally.sentAgain += 1
                    if tally.sentAgain > 10 * total + 1_000 { throw NothingLeaves(fault: fault) }
                }
            }
        }
        return tally
    }
}
