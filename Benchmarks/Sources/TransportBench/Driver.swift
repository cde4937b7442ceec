import HTTPTransport
import Meter

/// Ways to send the requests from 0 to below a number.
struct Driver: Sendable {
    let client: HTTPClient
    let load: any Load
    let inFlight: Int

    /// One consumer keeps twice the slots submitted, as a lane with a full window would.
    func batch(_ total: Int) async throws -> Tally {
        let channel = client.channel()
        var submitted = 0
        var done = 0
        var tally = Tally()
        while done < total {
            let room = min(2 * inFlight - (submitted - done), total - submitted)
            if room > 0 {
                channel.submit(try (submitted..<submitted + room).map(load.request))
                submitted += room
            }
            for reply in await channel.replies() {
                done += 1
                if reply.isAccepted { tally.accepted += 1 }
            }
        }
        return tally
    }

    func perform(_ total: Int) async throws -> Tally {
        Tally(
            accepted: try await postEach(total, inFlight: inFlight) { id in
                await client.perform(try load.request(id)).isAccepted
            })
    }

    /// Batches with no more submitted than there are slots: a request waits for its connection only.
    func start(_ total: Int) async throws -> Tally {
        let channel = client.channel()
        let clock = ContinuousClock()
        var departed: [Int64: ContinuousClock.Instant] = [:]
        var submitted = 0
        var tally = Tally()
        while submitted < total || !departed.isEmpty {
            let room = min(inFlight - departed.count, total - submitted)
            if room > 0 {
                let requests = try (submitted..<submitted + room).map(load.request)
                let now = clock.now
                for request in requests { departed[request.id] = now }
                channel.submit(requests)
                submitted += room
            }
            let replies = await channel.replies()
            let now = clock.now
            for reply in replies {
                if reply.isAccepted { tally.accepted += 1 }
                guard let then = departed.removeValue(forKey: reply.id) else { continue }
                tally.longest = max(tally.longest, (now - then) / .milliseconds(1))
            }
        }
        return tally
    }
}
