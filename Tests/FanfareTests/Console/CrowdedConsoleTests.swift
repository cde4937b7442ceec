import Foundation
import ProgramSupport
import SocketSupport
import TestSupport
import Testing

/// The console of a worker among clients that are many, slow or large.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CrowdedConsoleTests {
    private let service: ServiceBench
    private let run: ServiceBench.Process
    private let pages: Int
    private let health: Int

    init() async throws {
        service = try await ServiceBench()
        try await service.configureConsole(
            ["ana": "look,operate,campaigns"], members: #""listen": "127.0.0.1:0""#)
        run = try await service.start()
        pages = try service.consolePort()
        let address = try #require(try service.logged("serving health pages", "at").first)
        health = try #require(address.firstMatch(of: /:(\d+)\//).flatMap { Int($0.1) })
        while await Loopback.get("/readyz", port: health)?.status != 200 { await Task.yield() }
    }

    private func stop() async {
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
    }

    private func cookie() async throws -> String {
        let reply = try #require(
            await Loopback.ask(
                "POST", "/sign-in", port: pages, headers: ["Sec-Fetch-Site": "same-origin"],
                body: "name=ana&password=ana"))
        return try #require(reply.values("set-cookie").first?.split(separator: ";").first.map(String.init))
    }

    /// Kilobytes that the process had at most in memory.
    private func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(run.id)/status", encoding: .utf8)
        return try #require(status.firstMatch(of: /VmHWM:\s+(\d+) kB/).flatMap { Int($0.1) })
    }

    private func expectHealth() async {
        for path in ["/livez", "/readyz", "/metrics"] {
            #expect(await Loopback.get(path, port: health)?.status == 200, "\(path)")
        }
    }

    /// Of 500 connections at once the idlest make room: those that sent one byte and then nothing, and those that have their
    /// answer.
    @Test func fiveHundredConnectionsKeepNobodyFromAPage() async throws {
        let cookie = try await cookie()
        let request = "GET /about HTTP/1.1\r\nHost: localhost:\(pages)\r\nCookie: \(cookie)\r\n\r\n"
        // Held until the end: a client that is let go of is closed.
        var clients: [Client] = []
        for number in 0..<500 {
            // A connection beyond the limit may be closed while it is being made.
            guard let client = try? Client(port: pages, sending: number % 2 == 0 ? "G" : "") else { continue }
            clients.append(client)
            guard number % 50 == 49 else { continue }
            try await client.write(request)
            #expect(try await client.reply().status == 200)
        }
        #expect(clients.count > 400)
        await expectHealth()
        let all = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<20 {
                group.addTask { [pages] in await Loopback.get("/", port: pages, headers: ["Cookie": cookie])?.status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(all == Array(repeating: 200, count: 20))
        await stop()
    }

    /// Announced or in chunks: it is refused early, and nothing of it is kept.
    @Test func aBodyOfAGigabyteIsRefusedEarlyAndCostsNoMemory() async throws {
        let cookie = try await cookie()
        let before = try peak()
        let chunk = [UInt8]("100000\r\n".utf8) + [UInt8](repeating: 97, count: 1_048_576) + [UInt8]("\r\n".utf8)
        for path in ["/sign-in", "/act/pause-hub", "/campaigns/new"] {
            let head =
                "POST \(path) HTTP/1.1\r\nHost: localhost:\(pages)\r\nSec-Fetch-Site: same-origin\r\nCookie: \(cookie)\r\n"
            let announced = try Client(port: pages)
            try await announced.write(head + "Content-Length: 1000000000\r\n\r\n")
            #expect(try await announced.reply().status == 413, "\(path)")
            let chunked = try Client(port: pages)
            try await chunked.write(head + "Transfer-Encoding: chunked\r\n\r\n")
            let sending = Task {
                for _ in 0..<1_000 where !Task.isCancelled {
                    guard (try? await chunked.write(chunk)) != nil else { return }
                }
            }
            #expect(try await chunked.reply().status == 413, "\(path)")
            sending.cancel()
            await sending.value
        }
        await expectHealth()
        // Forms have at most 4 MB, of which one is read here to its end.
        let grown = try peak() - before
        #expect(grown < 64_000, "\(grown) kB")
        await stop()
    }
}
