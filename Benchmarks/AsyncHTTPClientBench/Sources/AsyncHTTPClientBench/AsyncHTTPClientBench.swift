import AsyncHTTPClient
import Glibc
import Meter
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Sends the posts of TransportBench through AsyncHTTPClient, one task per post in flight, and prints the same line.
///
///     AsyncHTTPClientBench URL REQUESTS IN-FLIGHT [CA-FILE]
@main
struct AsyncHTTPClientBench {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let total = Int(arguments[2]), let inFlight = Int(arguments[3]) else {
            print("usage: AsyncHTTPClientBench URL REQUESTS IN-FLIGHT [CA-FILE]")
            exit(64)
        }
        var configuration = HTTPClient.Configuration()
        // With its default, 8, the benchmark would measure waiting for connections.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = inFlight
        configuration.httpVersion = .http1Only
        if arguments.count > 4 {
            var trust = TLSConfiguration.makeClientConfiguration()
            trust.trustRoots = .file(arguments[4])
            configuration.tlsConfiguration = trust
        }
        // One event loop, as our transport has one thread.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
        let load = Load(client: client, url: arguments[1])
        let warmUp = min(2000, total)
        _ = try await postEach(warmUp, inFlight: inFlight, load.post)

        let meter = Meter()
        let accepted = try await postEach(total, inFlight: inFlight, load.post)
        print(meter.figures(of: total), "failed=\(total - accepted) warm_up=\(warmUp)")
        try await client.shutdown()
        try await group.shutdownGracefully()
    }
}

struct Load: Sendable {
    let client: HTTPClient
    let url: String
    let headers = HTTPHeaders(Sample.headers)
    let body = ByteBuffer(string: Sample.body)

    /// - Returns: whether the answer was 201 and named the notification.
    func post(_ id: Int) async throws -> Bool {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = headers
        request.headers.add(contentsOf: [Sample.tags(of: id)])
        request.body = .bytes(body)
        let response = try await client.execute(request, timeout: .seconds(30))
        for try await _ in response.body {}
        return response.status == .created && response.headers.first(name: "Location") != nil
    }
}
