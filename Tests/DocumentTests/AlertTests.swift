import Foundation
import ProgramSupport
import Testing

/// deploy/prometheus: its programs understand it, it names only what workers tell (as the dashboard), and each alert leads to
/// a heading. What they do beside real workers: `PrometheusTests`.
@Suite struct AlertTests {
    /// Metrics that neither uses: for a person who looks for the reason of something.
    private static let unused: Set = [
        "fanfare_claim_messages", "fanfare_config_last_reload_success_timestamp_seconds",
        "fanfare_library_metrics_dropped_total", "fanfare_transport_connections_opened_total",
        "fanfare_hub_info", "fanfare_transport_requests_total",
        "fanfare_http2_connections", "fanfare_http2_goaway_total", "fanfare_http2_pings_total",
        "fanfare_http2_refused_streams_total", "fanfare_http2_streams",
        // How long is too long is the backend's to say; fanfare check names the session after 10 s.
        "fanfare_results_held_seconds",
        // Only where a collector is set: docs/operations.md, "Spans".
        "fanfare_spans_dropped_total", "fanfare_spans_sent_total",
        "fanfare_token_signings_total", "fanfare_transport_resends_refused_total", "process_max_fds",
        "process_open_fds", "process_start_time_seconds",
        // In the file of a drain alone, which node_exporter reads.
        "fanfare_drain_duration_seconds", "fanfare_drain_last_success_timestamp_seconds", "fanfare_drain_left",
    ]

    private static let rules = "deploy/prometheus/fanfare.rules.yml"
    private static let operations = "docs/operations.md"

    // MARK: What their programs say

    @Test(
        .enabled(if: Tool.promtool.isExpected, Tool.advice),
        arguments: [
            ["check", "config", "deploy/prometheus/prometheus.yml"], ["check", "rules", rules],
            ["test", "rules", "deploy/prometheus/rules_test.yml"],
        ])
    func prometheusAgrees(arguments: [String]) async throws {
        let ended = try await Tool.promtool(arguments)
        #expect(ended.status == 0 && ended.output.contains("SUCCESS"), "\(ended)")
    }

    /// A rule that never fires, and one that always does, are found by rules_test.yml.
    @Test(
        .enabled(if: Tool.promtool.isExpected, Tool.advice),
        arguments: [("> 300", "> 1e9"), ("> 0.02", ">= 0"), ("for: 10m", "for: 1h"), ("absent(", "count(")])
    func aWrongRuleIsFound(right: String, wrong: String) async throws {
        let folder = try Folder()
        let text = try Repository.text(Self.rules)
        try #require(text.contains(right))
        try folder.write(text.replacing(right, with: wrong), to: "fanfare.rules.yml")
        let tests = try folder.write(try Repository.text("deploy/prometheus/rules_test.yml"), to: "rules_test.yml")
        let ended = try await Tool.promtool(["test", "rules", tests])
        #expect(ended.status != 0 && "\(ended)".contains("FAILED"), "\(ended)")
    }

    // MARK: The metrics they use

    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice))
    func everyMetricOfRulesAndDashboardIsToldByWorkers() async throws {
        let told = try Self.told()
        let used = try await Self.used(told)
        let missing = used.keys.filter { told[$0] == nil }.sorted()
        #expect(missing == [], "docs/metrics.md has none of them")
        for (name, labels) in used {
            let wrong = labels.subtracting(told[name] ?? labels).subtracting(["job", "instance", "le"])
            #expect(wrong == [], "labels of \(name)")
        }
    }

    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice))
    func fewMetricsAreUsedByNeither() async throws {
        let told = try Self.told()
        let used = try await Self.used(told)
        #expect(Set(told.keys.filter { used[$0] == nil }) == Self.unused)
    }

    /// The metrics of docs/metrics.md with their labels; `ReferenceTests` holds that page to the program.
    private static func told() throws -> [String: Set<String>] {
        let rows = try Repository.text("docs/metrics.md").matches(of: /(?m)^\| `([a-z0-9_]+)` \| [^|]+ \|([^|]*)\|/)
        #expect(rows.count > 20)
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                (String(row.1), Set(row.2.matches(of: /`([a-z]+)`/).map { String($0.1) }))
            })
    }

    /// The metrics in all expressions, with the labels that are asked for beside their names.
    private static func used(_ told: [String: Set<String>]) async throws -> [String: Set<String>] {
        var used: [String: Set<String>] = [:]
        let known = Set(told.keys)
        for expression in try await alerts().map({ $0.expression }) + records() + DashboardTests.queries {
            for match in expression.matches(of: /\b((?:fanfare|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/) {
                var name = String(match.1)
                let whole = name.replacing(/_(bucket|sum|count)$/, with: "")
                if !known.contains(name), known.contains(whole) { name = whole }
                let labels = (match.2 ?? "").matches(of: /([a-z]+) *(?:=|!=|=~|!~) *"/).map { String($0.1) }
                used[name, default: []].formUnion(labels)
            }
        }
        return used
    }

    // MARK: What a person reads

    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice))
    func everyAlertSaysWhatItMeansAndWhatToOpen() async throws {
        let anchors = try Checkout.headings(of: Self.operations).anchors
        let page = try Repository.text(Self.operations)
        let alerts = try await Self.alerts()
        #expect(Set(alerts.map(\.name)).count == alerts.count && alerts.count >= 15)
        for alert in alerts {
            #expect(["critical", "warning"].contains(alert.severity), "\(alert.name)")
            #expect(alert.annotations["summary"]?.count ?? 0 > 10, "\(alert.name)")
            let description = alert.annotations["description"] ?? ""
            #expect(description.count > 60 && description.hasSuffix("."), "\(alert.name)")
            let parts = (alert.annotations["runbook"] ?? "").split(separator: "#").map(String.init)
            #expect(parts.count == 2 && parts[0] == Self.operations && anchors.contains(parts[1]), "\(alert.name)")
            let row = page.firstMatch(of: try Regex("\\| `\(alert.name)` \\|.*\\(#\(parts.last ?? "")\\) \\|\n"))
            #expect(row != nil, "the table of \(Self.operations), \"Alerts\", has no such row for \(alert.name)")
        }
        let rows = page.matches(of: /(?m)^\| `Fanfare[A-Za-z]+` \|/).count
        #expect(rows == alerts.count, "the table names an alert that is not there")
    }

    /// For each there is a moment in rules_test.yml at which it fires, and one at which it does not.
    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice))
    func everyAlertHasATest() async throws {
        let file = try await YAML.read("deploy/prometheus/rules_test.yml")
        let tests = try #require(file[0]["tests"] as? [[String: Any]])
        var (fires, silent): (Set<String>, Set<String>) = ([], [])
        for moment in tests.flatMap({ $0["promql_expr_test"] as? [[String: Any]] ?? [] }) {
            let expression = try #require(moment["expr"] as? String)
            let name = String(try #require(expression.firstMatch(of: /alertname="([A-Za-z]+)"/)?.1))
            let samples = try #require(moment["exp_samples"] as? [Any])
            if samples.isEmpty { silent.insert(name) } else { fires.insert(name) }
        }
        let names = Set(try await Self.alerts().map(\.name))
        #expect(fires == names && silent == names)
    }

    private struct Alert {
        var name: String
        var expression: String
        var severity: String
        var annotations: [String: String]
    }

    private static func ruleList() async throws -> [[String: Any]] {
        let file = try await YAML.read(rules)
        let groups = try #require(file[0]["groups"] as? [[String: Any]])
        return groups.flatMap { $0["rules"] as? [[String: Any]] ?? [] }
    }

    private static func alerts() async throws -> [Alert] {
        try await ruleList().compactMap { rule in
            guard let name = rule["alert"] as? String else { return nil }
            return Alert(
                name: name, expression: rule["expr"] as? String ?? "",
                severity: (rule["labels"] as? [String: String])?["severity"] ?? "",
                annotations: rule["annotations"] as? [String: String] ?? [:])
        }
    }

    private static func records() async throws -> [String] {
        try await ruleList().filter { $0["record"] != nil }.compactMap { $0["expr"] as? String }
    }
}
