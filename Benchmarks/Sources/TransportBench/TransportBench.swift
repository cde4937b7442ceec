import Glibc
import HTTPTransport

/// Posts to a sink as fast as it can and prints one line.
///
///     TransportBench URL REQUESTS IN-FLIGHT batch|perform [CA-FILE]
@main
struct TransportBench {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 5, let total = Int(arguments[2]), let inFlight = Int(arguments[3]) else {
            print("usage: TransportBench URL REQUESTS IN-FLIGHT batch|perform [CA-FILE]")
            exit(64)
        }
        var settings = TransportSettings()
        settings.slots = inFlight
        settings.caBundle = arguments.count > 5 ? arguments[5] : nil
        let loop = try MultiLoop(settings)
        let load = try Load(url: arguments[1])
        let drive = arguments[4] == "perform" ? performing : batching
        let warmUp = min(2000, total)
        _ = try await drive(loop, load, warmUp, inFlight)

        let before = (loop.counters, cpuSeconds(), monotonic())
        let accepted = try await drive(loop, load, total, inFlight)
        let seconds = monotonic() - before.2
        let cpu = (cpuSeconds() - before.1) * 1e6 / Double(total)
        let after = loop.counters
        let loopCPU = (after.cpuSeconds - before.0.cpuSeconds) * 1e6 / Double(total)
        print(
            "rps=\(Int(Double(total) / seconds)) cpu_us/req=\(cpu.rounded2) loop_us/req=\(loopCPU.rounded2)",
            "failed=\(total - accepted) warm_up=\(warmUp) connections=\(after.connectionsOpened)",
            "wakes=\(after.wakeUps - before.0.wakeUps) epoll_ctl=\(after.epollChanges - before.0.epollChanges)",
            "turns=\(after.turns - before.0.turns)")
        await loop.shutdown()
    }

    /// One consumer keeps twice the slots submitted, as a lane with a full window would.
    static func batching(_ loop: MultiLoop, _ load: Load, _ total: Int, _ inFlight: Int) async throws -> Int {
        let outlet = loop.outlet()
        var submitted = 0
        var done = 0
        var accepted = 0
        while done < total {
            let room = min(2 * inFlight - (submitted - done), total - submitted)
            if room > 0 {
                outlet.submit(try (submitted..<submitted + room).map(load.request))
                submitted += room
            }
            for reply in await outlet.replies() {
                done += 1
                if case .answered(let response) = reply.outcome, response.status == 201 { accepted += 1 }
            }
        }
        return accepted
    }

    static func performing(_ loop: MultiLoop, _ load: Load, _ total: Int, _ inFlight: Int) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for lane in 0..<inFlight {
                group.addTask {
                    var accepted = 0
                    for id in stride(from: lane, to: total, by: inFlight) {
                        let reply = await loop.perform(try load.request(id))
                        if case .answered(let response) = reply.outcome, response.status == 201 { accepted += 1 }
                    }
                    return accepted
                }
            }
            return try await group.reduce(0, +)
        }
    }

    static func cpuSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(0), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    static func monotonic() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}

/// Posts of the size a hub sees: 8 headers, a token of 240 bytes, tags that differ, a body of 265 bytes.
struct Load: Sendable {
    let url: String
    let shared: SharedHeaders
    let body: [UInt8]

    init(url: String) throws {
        self.url = url
        let token =
            "SharedAccessSignature sr=" + String(repeating: "a", count: 90) + "&sig="
            + String(repeating: "b", count: 60)
            + "&se=1800000000&skn=DefaultFullSharedAccessSignature"
        shared = SharedHeaders([
            try HeaderLine("Authorization", token),
            try HeaderLine("Content-Type", "application/json;charset=utf-8"),
            try HeaderLine("ServiceBusNotification-Format", "template"),
            try HeaderLine("x-ms-version", "2015-01"),
        ])
        let title = String(repeating: "Breaking news ", count: 6)
        let text = String(repeating: "World news in English. ", count: 7)
        body = Array("{\"title\":\"\(title)\",\"body\":\"\(text)\",\"badge\":1}".utf8)
    }

    func request(_ id: Int) throws -> Request {
        let tags = try HeaderLine("ServiceBusNotification-Tags", "(news_World && locale_en) || user_\(id)")
        return Request(id: Int64(id), url: url, shared: shared, headers: [tags], body: body)
    }
}

extension Double {
    fileprivate var rounded2: Double { (self * 100).rounded() / 100 }
}
