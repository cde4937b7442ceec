import Foundation
import HubEmulator
import Postgres
import ProgramSupport
import PushModel
import Synchronization
import TestSupport
import Testing

/// Two `fanfare run` on one database and three hubs of an emulator, and Debian's Prometheus that reads both each second with
/// the rules of deploy/prometheus. What stands there in minutes takes seconds here: a test cannot wait for ten minutes.
final class PrometheusBench: Sendable {
    let worker: TestWorker
    let scratch: ScratchDirectory
    private let workers = Mutex<[ServiceBench.Process]>([])
    private let prometheus = Mutex<ServiceBench.Process?>(nil)
    private let prometheusPort = Mutex(0)
    /// Prometheus ends when this is closed.
    private let alive = Pipe()

    /// Lends a bench whose workers answer and are read. Whatever `body` does, its processes end.
    static func run(_ body: (PrometheusBench) async throws -> Void) async throws {
        let bench = try await PrometheusBench()
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(bench))
        } catch {
            outcome = .failure(error)
        }
        for worker in bench.workers.withLock({ $0 }) { _ = await bench.end(worker, by: SIGKILL) }
        try bench.alive.fileHandleForWriting.close()
        _ = await bench.prometheus.withLock { $0 }?.ended
        await bench.worker.emulator.stop()
        try outcome.get()
    }

    private init() async throws {
        worker = try await TestWorker.make(
            TestWorker.news, HubSettings(name: "sport", hub: "sport-hub"),
            HubSettings(name: "alerts", hub: "alerts-hub"))
        scratch = try ScratchDirectory()
    }

    // MARK: Workers

    /// Starts a worker and waits until it is ready.
    ///
    /// - Parameters:
    ///   - name: of its settings and its log.
    ///   - port: of its pages; 0: any.
    func start(_ name: String, port: Int = 0) async throws -> (process: ServiceBench.Process, port: Int) {
        let hubs = ([worker.hub] + worker.others).map { hub in
            let connection = worker.emulator.connectionString(for: hub.hub)?.reveal() ?? ""
            let languages =
                hub.languages.isEmpty
                ? "" : #", "languages": {"en": "English", "fr": "French", "zh-Hans": "Mandarin"}, "fallback": "en""#
            return
                #""\#(hub.name)": {"hub": "\#(hub.hub)", "connectionString": "\#(connection)", "window": 8\#(languages)}"#
        }
        let settings = """
            {"database": {"url": "\(worker.test.conninfo)"}, "hubs": {\(hubs.joined(separator: ", "))},
             "console": {"listen": "127.0.0.1:\(port)"}, "dispatch": {"leaseSeconds": 5, "batch": 25}}
            """
        let fanfare = BuiltProgram(settings: try scratch.write(settings, to: name + ".json"), scratch: scratch)
        let process = try start(fanfare.process(["run", "--log-format", "json"]), log: name + ".log")
        workers.withLock { $0.append(process) }
        let found = try await printed(/http:\/\/127\.0\.0\.1:([0-9]+)\/readyz/, in: name + ".log")
        try await Awaited.until("\(name) is ready") {
            let answer = await Loopback.get("/readyz", port: found)
            return (answer?.body ?? "no answer", answer?.status == 200)
        }
        return (process, found)
    }

    private func start(
        _ process: Foundation.Process, input: Any = FileHandle.nullDevice, log: String
    ) throws -> ServiceBench.Process {
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try scratch.open(log)
        return try ServiceBench.Process(process)
    }

    /// Waits for a number in a log.
    private func printed(_ pattern: Regex<(Substring, Substring)>, in log: String) async throws -> Int {
        var found: Int?
        try await Awaited.until("a port in \(log)") {
            let text = try scratch.read(log)
            found = text.firstMatch(of: pattern).flatMap { Int($0.1) }
            return (text.suffix(500), found != nil)
        }
        return try #require(found)
    }

    /// Ends a worker.
    ///
    /// - Returns: the exit status; negative: the signal.
    func end(_ worker: ServiceBench.Process, by signal: Int32) async -> Int32 {
        worker.signal(signal)
        let status = await worker.ended
        workers.withLock { $0.removeAll { $0.id == worker.id } }
        return status
    }

    // MARK: Prometheus

    /// The shipped rules with seconds for minutes.
    private static func hastyRules() throws -> String {
        let shipped = try Repository.text("deploy/prometheus/fanfare.rules.yml")
        let hasty = shipped.replacing(/(?m)(\[|offset |^ +for: )([0-9]+)m\b/) { "\($0.1)\($0.2)s" }
        #expect(!hasty.contains(/\[[0-9]+m\]|offset [0-9]+m|for: [0-9]+m/) && hasty.contains("[10s]"))
        return hasty
    }

    /// Starts it and waits until it has read all workers.
    func startPrometheus(reading ports: [Int]) async throws {
        let settings = """
            global: {scrape_interval: 1s, evaluation_interval: 1s}
            rule_files: [rules.yml]
            scrape_configs:
              - job_name: fanfare
                static_configs: [{targets: [\(ports.map { "\"127.0.0.1:\($0)\"" }.joined(separator: ", "))]}]
            """
        try scratch.write(try Self.hastyRules(), to: "rules.yml")
        // A shell ends it when this process has ended, however that did: no server may stay behind. The shell does not wait for
        // it: dash would for ever, because Foundation starts processes with SIGCHLD blocked.
        let process = Tool.process(
            "sh",
            [
                "-c", #""$@" & read -r _; kill -KILL $!"#, "sh", Tool.prometheus.name,
                "--config.file=\(try scratch.write(settings, to: "prometheus.yml"))",
                "--storage.tsdb.path=\(scratch.path)/tsdb", "--web.listen-address=127.0.0.1:0",
            ], environment: [:])
        let shell = try start(process, input: alive, log: "prometheus.log")
        prometheus.withLock { $0 = shell }
        let port = try await printed(/msg="Listening on" address=127\.0\.0\.1:([0-9]+)/, in: "prometheus.log")
        prometheusPort.withLock { $0 = port }
        try await Awaited.until("Prometheus is ready") {
            let answer = await Loopback.get("/-/ready", port: port)
            return (answer?.body ?? "no answer", answer?.status == 200)
        }
        try await until("count(up{job=\"fanfare\"} == 1)") { $0.first?.value == Double(ports.count) }
    }

    /// One series of an answer.
    struct Sample {
        var labels: [String: String]
        var value: Double
    }

    /// What PromQL says now.
    ///
    /// - Parameter time: seconds since 1970; nil: now.
    func query(_ promQL: String, at time: Double? = nil) async throws -> [Sample] {
        let text = try #require(promQL.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let path = "/api/v1/query?query=\(text)" + (time.map { "&time=\($0)" } ?? "")
        let answer = try #require(await Loopback.get(path, port: prometheusPort.withLock { $0 }), "\(promQL)")
        try #require(answer.status == 200, "\(promQL): \(answer.body)")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
        let data = try #require(object["data"] as? [String: Any])
        return try #require(data["result"] as? [[String: Any]]).map { series in
            let value = try #require((series["value"] as? [Any])?.last as? String)
            return Sample(
                labels: series["metric"] as? [String: String] ?? [:], value: try #require(Double(value)))
        }
    }

    /// The values of a query by the values of some labels, joined by a space.
    func values(_ promQL: String, by labels: String..., at time: Double? = nil) async throws -> [String: Double] {
        let samples = try await query(promQL, at: time)
        let pairs = samples.map { sample in
            (labels.map { sample.labels[$0] ?? "" }.joined(separator: " "), sample.value)
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Waits until PromQL says what `holds` accepts.
    func until(_ promQL: String, _ holds: ([Sample]) -> Bool) async throws {
        try await Awaited.until(promQL) {
            let seen = try await query(promQL)
            return (seen, holds(seen))
        }
    }

    /// Waits until Prometheus has read both workers after now.
    func untilReadAgain() async throws {
        let now = Date().timeIntervalSince1970
        try await until("timestamp(fanfare_build_info)") { $0.count == 2 && $0.allSatisfy { $0.value > now } }
    }

    /// The newest values of counters in PromQL, also where a busy machine let the last scrape fail.
    static func newest(_ counters: String) -> String { "max_over_time(\(counters)[10s])" }

    /// Waits until an alert fires.
    func fires(_ alert: String, _ labels: String = "") async throws {
        // Also one that has ended since the last look.
        try await until("max_over_time(ALERTS{alertname=\"\(alert)\", alertstate=\"firing\"\(labels)}[5m])") {
            !$0.isEmpty
        }
    }

    /// Waits until an alert that fired does so no more.
    func ends(_ alert: String, _ labels: String = "") async throws {
        try await until("ALERTS{alertname=\"\(alert)\", alertstate=\"firing\"\(labels)}") { $0.isEmpty }
    }
}
