import Foundation
import ProgramSupport
import Testing

/// deploy/grafana: the dashboard, and how compose gives it to Grafana. Which metrics it asks for: `AlertTests`.
@Suite struct DashboardTests {
    static func dashboard() throws -> [String: Any] {
        let data = try Data(contentsOf: Repository.url("deploy/grafana/fanfare.json"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    static var panels: [[String: Any]] {
        get throws { try #require(try dashboard()["panels"] as? [[String: Any]]) }
    }

    static var queries: [String] {
        get throws {
            try panels.flatMap { $0["targets"] as? [[String: Any]] ?? [] }.map { try #require($0["expr"] as? String) }
        }
    }

    /// Each query of the dashboard is PromQL: as a rule, with values for the dashboard's variables.
    @Test(.enabled(if: Tool.promtool.isExpected, Tool.advice))
    func everyQueryOfTheDashboardIsUnderstood() async throws {
        let queries = try Self.queries.map {
            $0.replacing("$hub", with: "news|sport").replacing("$__rate_interval", with: "1m")
        }
        #expect(queries.allSatisfy { !$0.contains("$") })
        let rules = queries.enumerated().map { ["record": "query:\($0)", "expr": $1] }
        let file = try JSONSerialization.data(
            withJSONObject: ["groups": [["name": "queries", "rules": rules]]], options: .withoutEscapingSlashes)
        let folder = try Folder()
        let path = try folder.write(String(decoding: file, as: UTF8.self), to: "queries.yml")
        let ended = try await Tool.promtool(["check", "rules", path])
        #expect(ended.status == 0 && ended.output.contains("\(queries.count) rules found"), "\(ended)")
    }

    @Test func theDashboardHasTwelvePanelsThatGoByItsVariables() throws {
        let dashboard = try Self.dashboard()
        let variables = try #require((dashboard["templating"] as? [String: Any])?["list"] as? [[String: Any]])
        #expect(variables.map { $0["name"] as? String } == ["datasource", "hub"])
        #expect(variables[0]["query"] as? String == "prometheus")
        #expect(variables[1]["definition"] as? String == "label_values(fanfare_hub_state, hub)")
        let panels = try Self.panels
        #expect(panels.count == 12)
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == 12)
        for panel in panels {
            let title = panel["title"] as? String ?? ""
            #expect(!title.isEmpty && (panel["description"] as? String)?.hasSuffix(".") == true, "\(title)")
            let targets = try #require(panel["targets"] as? [[String: Any]])
            #expect(!targets.isEmpty && targets.allSatisfy { $0["legendFormat"] as? String != nil }, "\(title)")
            for part in targets + [panel] {
                let source = part["datasource"] as? [String: String]
                #expect(source?["uid"] == "${datasource}" && source?["type"] == "prometheus", "\(title)")
            }
        }
        let places = panels.compactMap { $0["gridPos"] as? [String: Int] }.map { [$0["x"], $0["y"]] }
        #expect(Set(places).count == 12, "two panels lie on each other")
    }

    /// Every file that compose mounts is there, and Grafana finds the dashboard and Prometheus where it is told to look.
    @Test(.enabled(if: Tool.yaml.isExpected, Tool.advice))
    func composeMountsWhatIsThere() async throws {
        let file = try await YAML.read("deploy/compose.yaml")
        let services = try #require(file[0]["services"] as? [String: [String: Any]])
        var mounts: [String: Set<String>] = [:]
        for (name, service) in services {
            for mount in service["volumes"] as? [String] ?? [] where mount.hasPrefix(".") {
                let parts = mount.split(separator: ":").map(String.init)
                let target = Checkout.target(of: parts[0], in: "deploy/compose.yaml")
                #expect(Checkout.exists(target), "\(name): \(mount)")
                mounts[name, default: []].insert(parts[1])
            }
        }
        for name in ["prometheus", "grafana"] { #expect(services[name]?["profiles"] as? [String] == ["metrics"]) }
        #expect(mounts["prometheus"]?.contains("/etc/prometheus/fanfare.rules.yml") == true)
        let provider = try await YAML.read("deploy/grafana/provisioning/dashboards/fanfare.yaml")[0]["providers"]
        let folder = try #require((((provider as? [[String: Any]])?[0])?["options"] as? [String: String])?["path"])
        #expect(mounts["grafana"]?.contains("\(folder)/fanfare.json") == true)
        let sources = try await YAML.read("deploy/grafana/provisioning/datasources/prometheus.yaml")[0]["datasources"]
        let address = try #require((sources as? [[String: Any]])?[0]["url"] as? String)
        // Prometheus lives in the emulator's network namespace, which answers to this name.
        let network = services["emulator"]?["networks"] as? [String: [String: [String]]]
        let alias = try #require(network?["default"]?["aliases"]?.first)
        #expect(address == "http://\(alias):9090")
        #expect(services["prometheus"]?["network_mode"] as? String == "service:emulator")
        #expect(services["grafana"]?["ports"] as? [String] == ["127.0.0.1:3000:3000"], "for this machine alone")
    }
}
