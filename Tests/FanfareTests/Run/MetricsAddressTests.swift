import Foundation
import Glibc
import ProgramSupport
import Testing

/// `/metrics` of a real worker, on the addresses of console.listen and console.metrics.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MetricsAddressTests {
    private static let token = "a-token.of~this_test+0123/=="

    /// The answer of curl with its head; empty: nobody listens.
    private static func ask(_ url: String, _ arguments: String...) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["curl", "-s", "-i", "--noproxy", "*"] + arguments + [url]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    private static func ports(of service: ServiceBench) throws -> (health: Int, metrics: Int) {
        let log = try service.scratch.read("log")
        let health = try #require(log.firstMatch(of: /http:\/\/[0-9.]+:([0-9]+)\/readyz/), "\(log)")
        let metrics = try #require(log.firstMatch(of: /http:\/\/[0-9.]+:([0-9]+)\/metrics/), "\(log)")
        return (try #require(Int(health.1)), try #require(Int(metrics.1)))
    }

    /// The metrics of the process go on while the database is away.
    @Test func whoBringsTheTokenGetsThemAlsoWithoutADatabase() async throws {
        let service = try await ServiceBench()
        try service.configure(
            rest: #", "console": {"listen": "0.0.0.0:0", "metrics": "0.0.0.0:0", "metricsToken": "\#(Self.token)"}"#,
            database: "host=127.0.0.1 port=1")
        let run = try await service.start(until: "waiting for the database")
        let ports = try Self.ports(of: service)
        for port in [ports.health, ports.metrics] {
            let url = "http://127.0.0.1:\(port)/metrics"
            let stranger = try Self.ask(url)
            #expect(
                stranger.hasPrefix("HTTP/1.1 401 ") && stranger.contains("WWW-Authenticate: Bearer realm="),
                "\(stranger)")
            let wrong = try Self.ask(url, "-H", "Authorization: Bearer \(Self.token)x")
            #expect(wrong.hasPrefix("HTTP/1.1 401 ") && wrong.contains("invalid_token"), "\(wrong)")
            let head = try Self.ask(url, "-I", "-H", "Authorization: Bearer \(Self.token)")
            #expect(head.hasPrefix("HTTP/1.1 200 ") && !head.contains("fanfare_"), "\(head)")
            let page = try Self.ask(url, "-H", "Authorization: Bearer \(Self.token)")
            #expect(page.contains("fanfare_build_info{") && page.contains("\nprocess_start_time_seconds "), "\(page)")
            #expect(!(stranger + wrong + page).contains(Self.token))
        }
        #expect(try Self.ask("http://127.0.0.1:\(ports.health)/livez").hasPrefix("HTTP/1.1 200 "))
        #expect(try Self.ask("http://127.0.0.1:\(ports.metrics)/livez").hasPrefix("HTTP/1.1 404 "))

        // As for the other addresses, what changes here waits for a restart.
        try service.configure(
            rest:
                #", "console": {"listen": "0.0.0.0:0", "metrics": "0.0.0.0:0", "metricsToken": "another \#(Self.token)"}"#
        )
        run.signal(SIGHUP)
        try await service.logs("not reloaded, the old settings stay")
        try service.configure(
            rest: #", "console": {"listen": "0.0.0.0:0", "metricsToken": "another.\#(Self.token)"}"#,
            database: "host=127.0.0.1 port=1")
        run.signal(SIGHUP)
        try await service.logs("these settings wait for a restart")
        #expect(
            try service.logged("these settings wait for a restart", "keys")
                == ["console.metrics, console.metricsToken"])
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
        #expect(try !service.scratch.read("log").contains(Self.token))
        #expect(try Self.ask("http://127.0.0.1:\(ports.metrics)/metrics") == "")
    }

    @Test func onTheLoopbackNobodyIsAskedForIt() async throws {
        let service = try await ServiceBench()
        try service.configure(
            rest: #", "console": {"listen": "127.0.0.1:0", "metrics": "127.0.0.1:0", "metricsToken": "\#(Self.token)"}"#
        )
        let run = try await service.start()
        let ports = try Self.ports(of: service)
        for port in [ports.health, ports.metrics] {
            let page = try Self.ask("http://localhost:\(port)/metrics", "-4")
            #expect(
                page.hasPrefix("HTTP/1.1 200 ") && page.contains(#"fanfare_hub_state{hub="news",state="open"}"#),
                "\(page)")
            #expect(
                try Self.ask("http://127.0.0.1:\(port)/metrics", "-H", "Host: evil.example").hasPrefix("HTTP/1.1 403 "))
        }
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
    }

    @Test func withoutATokenAWorkerDoesNotStartWhereOthersCanAsk() async throws {
        let service = try await ServiceBench()
        try service.configure(rest: #", "console": {"listen": "off", "metrics": "0.0.0.0:0"}"#)
        for command in [["run"], ["config", "check"]] {
            let ended = try await BuiltProgram(settings: service.scratch.path + "/config.json").run(command)
            #expect(ended.status == 78, "\(ended)")
            #expect(ended.errors.contains("console.metricsToken"), "\(ended.errors)")
            #expect(
                ended.errors.contains("Set FANFARE_CONSOLE_METRICS_TOKEN, or the credential file console-metricsToken"))
        }
        // Health pages need none; the metrics are then not among them.
        try service.configure(rest: #", "console": {"listen": "0.0.0.0:0"}"#)
        let run = try await service.start()
        let log = try service.scratch.read("log")
        let port = try #require(log.firstMatch(of: /http:\/\/0\.0\.0\.0:([0-9]+)\/readyz/), "\(log)").1
        #expect(try Self.ask("http://127.0.0.1:\(port)/metrics").hasPrefix("HTTP/1.1 404 "))
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
    }

    @Test func aTakenAddressIsNamedByItsOwnKey() async throws {
        let service = try await ServiceBench()
        try service.configure(rest: #", "console": {"listen": "127.0.0.1:0"}"#)
        let run = try await service.start()
        let log = try service.scratch.read("log")
        let port = try #require(log.firstMatch(of: /127\.0\.0\.1:([0-9]+)\/readyz/), "\(log)").1
        let other = try await ServiceBench()
        try other.configure(rest: #", "console": {"listen": "off", "metrics": "127.0.0.1:\#(port)"}"#)
        let ended = try await BuiltProgram(settings: other.scratch.path + "/config.json")("run")
        #expect(ended.status == 69 && ended.errors.contains("hint: Set console.metrics to another address"), "\(ended)")
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
    }
}
