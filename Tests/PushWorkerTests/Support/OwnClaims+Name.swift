import Telemetry

@testable import PushWorker

extension OwnClaims {
    func learn(_ claim: Int64, of name: String) { learn(claim, of: HubMetrics(name, in: MetricsRegistry())) }
}
