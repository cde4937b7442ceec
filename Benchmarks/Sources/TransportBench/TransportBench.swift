import Glibc
import HTTPTransport
import Meter

/// Posts to a sink as fast as possible and prints one line.
///
///     TransportBench URL REQUESTS IN-FLIGHT batch|perform|start [CA-FILE]
///
/// `start` also prints `longest_ms`: the longest time from submitting a request to its reply, from the first request of
/// the warm-up on. CA-FILE is trusted in place of the system's certificates.
@main
struct TransportBench {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 5, let total = Int(arguments[2]), let inFlight = Int(arguments[3]) else {
            print("usage: TransportBench URL REQUESTS IN-FLIGHT batch|perform|start [CA-FILE]")
            exit(64)
        }
        var settings = TransportSettings()
        settings.slots = inFlight
        settings.caBundle = arguments.count > 5 ? arguments[5] : nil
        let client = try HTTPClient(settings)
        let load = try Load(url: arguments[1])
        let drive =
            switch arguments[4] {
            case "perform": performing
            case "start": starting
            default: batching
            }
        let warmUp = min(2000, total)
        let cold = try await drive(client, load, warmUp, inFlight)

        let before = client.counters
        let meter = Meter()
        let tally = try await drive(client, load, total, inFlight)
        let figures = meter.figures(of: total)
        let after = client.counters
        let loopCPU = (after.cpuSeconds - before.cpuSeconds) * 1e6 / Double(total)
        print(
            figures, "loop_us/req=\(loopCPU.rounded2) failed=\(total - tally.accepted) warm_up=\(warmUp)",
            "connections=\(after.connectionsOpened) wakes=\(after.wakeUps - before.wakeUps)",
            "epoll_ctl=\(after.epollChanges - before.epollChanges) turns=\(after.turns - before.turns)",
            arguments[4] == "start" ? "longest_ms=\(max(cold.longest, tally.longest).rounded2)" : "")
        await client.shutdown()
    }

    /// One consumer keeps twice the slots submitted, as a lane with a full window would.
    static func batching(_ client: HTTPClient, _ load: Load, _ total: Int, _ inFlight: Int) async throws -> Tally {
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

    static func performing(_ client: HTTPClient, _ load: Load, _ total: Int, _ inFlight: Int) async throws -> Tally {
        Tally(
            accepted: try await postEach(total, inFlight: inFlight) { id in
                await client.perform(try load.request(id)).isAccepted
            })
    }

    /// Batches with no more submitted than there are slots: a request waits for its connection only.
    static func starting(_ client: HTTPClient, _ load: Load, _ total: Int, _ inFlight: Int) async throws -> Tally {
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

/// `longest`: milliseconds from submitting a request to its reply; only `starting` measures it.
struct Tally {
    var accepted = 0
    var longest = 0.0
}

struct Load: Sendable {
    let url: String
    let shared: SharedHeaders
    let body = Array(Sample.body.utf8)

    init(url: String) throws {
        self.url = url
        shared = SharedHeaders(try Sample.headers.map { try HeaderLine($0.0, $0.1) })
    }

    func request(_ id: Int) throws -> Request {
        let (name, value) = Sample.tags(of: id)
        return Request(id: Int64(id), url: url, shared: shared, headers: [try HeaderLine(name, value)], body: body)
    }
}

extension Reply {
    fileprivate var isAccepted: Bool {
        if case .answered(let response) = outcome { response.status == 201 } else { false }
    }
}
