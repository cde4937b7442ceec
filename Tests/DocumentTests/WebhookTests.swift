import Foundation
import Postgres
import ProgramSupport
import Synchronization
import TestSupport
import Testing

/// docs/enqueue/webhooks.py: a consumer of results, killed again and again.
@Suite(.timeLimit(.minutes(10))) struct WebhookTests {
    /// A service that answers 200 and prints what it gets.
    static let receiver = """
        import http.server
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                print(self.rfile.read(int(self.headers["Content-Length"])).decode(), flush=True)
                self.send_response(200)
                self.end_headers()
            def log_message(self, *arguments):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    private struct Result: Decodable, Equatable {
        var mark: String
        var id: Int64
        var status: String
    }

    /// A Python program and the lines it prints.
    static func python(
        _ arguments: [String], environment: [String: String] = [:], in folder: URL? = nil
    ) throws -> (process: Process, lines: AsyncStream<String>) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = arguments
        process.currentDirectoryURL = folder ?? process.currentDirectoryURL
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let (lines, line) = AsyncStream<String>.makeStream()
        Thread.detachNewThread {
            var rest = Data()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                rest.append(data)
                while let end = rest.firstIndex(of: 10) {
                    line.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            line.finish()
        }
        return (process, lines)
    }

    @Test(.enabled(if: Tool.psycopg.isExpected))
    func noResultIsMissedWhenTheConsumerIsKilled() async throws {
        let shop = try await Shop.open()
        let table = try #require(shop.page.blocks("sql").first { $0.text.contains("webhook_mark") })
        try await shop.expect(shop.psql(shop.own(table.text)), table)
        let receiver = try Self.python(["-c", Self.receiver])
        defer { receiver.process.terminate() }
        var requests = receiver.lines.makeAsyncIterator()
        let port = try #require(await requests.next())
        let path = Repository.url("docs/enqueue/webhooks.py").path
        func consume() throws -> Process {
            try Self.python(
                [path, "http://127.0.0.1:\(port)/results"],
                environment: shop.environment(user: shop.login).merging(["BATCH": "7"]) { $1 }
            ).process
        }

        var consumer = try consume()
        defer { kill(consumer.processIdentifier, SIGKILL) }
        let insert =
            #"INSERT INTO push.message (hub, tag, content) SELECT 'news', 'a' || g, '{"m": "x"}' FROM generate_series(1, 150) g"#
        try await shop.expect(shop.psql(insert, as: shop.login), table)
        try await shop.worker.drain()
        try await shop.expect(shop.psql(insert, as: shop.login), table)
        try await shop.worker.enqueue(10)  // of somebody else
        try await shop.worker.drain()

        let wanted = try await shop.worker.test.number(
            "SELECT count(*) FROM push.message WHERE enqueued_by = \(shop.login)")
        #expect(wanted == 300)
        var last: [Int64: Result] = [:]
        var count = 0
        while last.count < 300, let request = await requests.next() {
            let results = try JSONDecoder().decode([Result].self, from: Data(request.utf8))
            for result in results {
                #expect(last[result.id] == nil || last[result.id] == result, "a repeated result is the same")
                last[result.id] = result
            }
            count += 1
            guard count.isMultiple(of: 8) else { continue }
            kill(consumer.processIdentifier, SIGKILL)
            consumer = try consume()
        }
        #expect(last.values.allSatisfy { $0.status == "accepted" })
        #expect(count >= 40, "it was not killed often enough to prove anything")
    }
}
