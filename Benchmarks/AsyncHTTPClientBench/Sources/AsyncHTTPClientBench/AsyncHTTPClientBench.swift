import AsyncHTTPClient
import Glibc
import Meter
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Sends the posts of TransportBench through AsyncHTTPClient, one task per post in flight, and prints the same line.
///
///     AsyncHTTPClientBench URL REQUESTS IN-FLIGHT [http2] [CA-FILE]
///
/// `http2`: pushes to iPhones over HTTP/2 in place of posts to a hub over HTTP/1.1, URL without a path.
@main
struct AsyncHTTPClientBench {
    static func main() async throws {
        var arguments = CommandLine.arguments
        guard arguments.count >= 4, let total = Int(arguments[2]), let inFlight = Int(arguments[3]) else {
            print("usage: AsyncHTTPClientBench URL REQUESTS IN-FLIGHT [http2] [CA-FILE]")
            exit(64)
        }
        let overHTTP2 = arguments.count > 4 && arguments[4] == "http2"
        if overHTTP2 { arguments.remove(at: 4) }
        var configuration = HTTPClient.Configuration()
        // With its default, 8, the benchmark would measure waiting for connections.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = inFlight
        configuration.httpVersion = overHTTP2 ? .automatic : .http1Only
        if arguments.count > 4 {
            var trust = TLSConfiguration.makeClientConfiguration()
            trust.trustRoots = .file(arguments[4])
            configuration.tlsConfiguration = trust
        }
        // One event loop, as our transport has one thread.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
        let load: any Load =
            overHTTP2 ? AppleLoad(client: client, url: arguments[1]) : HubLoad(client: client, url: arguments[1])
        let warmUp = min(2000, total)
        _ = try await postEach(warmUp, inFlight: inFlight, load.post)

        let meter = Meter()
        let accepted = try await postEach(total, inFlight: inFlight, load.post)
        print(meter.figures(of: total), "failed=\(total - accepted) warm_up=\(warmUp)")
        try await client.shutdown()
        try await group.shutdownGracefully()
    }
}

protocol Load: Sendable {
    /// - Returns: whether the request with this number was accepted.
    func post(_ id: Int) async throws -> Bool
}

struct HubLoad: Load {
    let client: HTTPClient
    let url: String
    let headers = HTTPHeaders(Sample.headers)
    let body = ByteBuffer(string: Sample.body)

    /// Whether the answer was 201 and named the notification.
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

struct AppleLoad: Load {
    let client: HTTPClient
    let urls: [String]
    let headers = HTTPHeaders(ApplePost.headers)
    let body = ByteBuffer(string: ApplePost.body)

    init(client: HTTPClient, url: String) {
        self.client = client
        urls = ApplePost.paths.map { url + $0 }
    }

    /// Whether the answer was 200, over HTTP/2.
    func post(_ id: Int) async throws -> Bool {
        var request = HTTPClientRequest(url: urls[id % urls.count])
        request.method = .POST
        request.headers = headers
        request.headers.add(contentsOf: ApplePost.headers(of: id))
        request.body = .bytes(body)
        let response = try await client.execute(request, timeout: .seconds(30))
        for try await _ in response.body {}
        return response.status == .ok && response.version == .http2
    }
}
