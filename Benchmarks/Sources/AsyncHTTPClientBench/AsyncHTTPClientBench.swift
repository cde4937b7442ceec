import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// The posts of TransportBench through AsyncHTTPClient, one task for each in flight, and the same line at the end.
///
///     AsyncHTTPClientBench URL REQUESTS IN-FLIGHT
@main
struct AsyncHTTPClientBench {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let total = Int(arguments[2]), let inFlight = Int(arguments[3]) else {
            print("usage: AsyncHTTPClientBench URL REQUESTS IN-FLIGHT")
            exit(64)
        }
        var configuration = HTTPClient.Configuration()
        // Its default is 8, with which it would be measured waiting for connections.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = inFlight
        configuration.httpVersion = .http1Only
        // One event loop, as our transport has one thread.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
        let load = Load(client: client, url: arguments[1])
        let warmUp = min(2000, total)
        _ = try await drive(load, warmUp, inFlight)

        let before = (cpuSeconds(), monotonic())
        let accepted = try await drive(load, total, inFlight)
        let seconds = monotonic() - before.1
        let cpu = (cpuSeconds() - before.0) * 1e6 / Double(total)
        print(
            "rps=\(Int(Double(total) / seconds)) cpu_us/req=\((cpu * 100).rounded() / 100)",
            "failed=\(total - accepted) warm_up=\(warmUp)")
        try await client.shutdown()
        try await group.shutdownGracefully()
    }

    static func drive(_ load: Load, _ total: Int, _ inFlight: Int) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for lane in 0..<inFlight {
                group.addTask {
                    var accepted = 0
                    for id in stride(from: lane, to: total, by: inFlight) {
                        if try await load.post(id) { accepted += 1 }
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

/// The request of `TransportBench`, byte for byte: 8 headers, a token of 240 bytes, tags that differ, a body of 265 bytes.
struct Load: Sendable {
    let client: HTTPClient
    let url: String
    let token =
        "SharedAccessSignature sr=" + String(repeating: "a", count: 90) + "&sig=" + String(repeating: "b", count: 60)
        + "&se=1800000000&skn=DefaultFullSharedAccessSignature"
    let body = ByteBuffer(
        string: "{\"title\":\"" + String(repeating: "Breaking news ", count: 6) + "\",\"body\":\""
            + String(repeating: "World news in English. ", count: 7) + "\",\"badge\":1}")

    /// - Returns: whether the answer was 201, and named the notification.
    func post(_ id: Int) async throws -> Bool {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = [
            "Authorization": token, "Content-Type": "application/json;charset=utf-8",
            "ServiceBusNotification-Format": "template",
            "ServiceBusNotification-Tags": "(news_World && locale_en) || user_\(id)", "x-ms-version": "2015-01",
        ]
        request.body = .bytes(body)
        let response = try await client.execute(request, timeout: .seconds(30))
        for try await _ in response.body {}
        return response.status == .created && response.headers.first(name: "Location") != nil
    }
}
