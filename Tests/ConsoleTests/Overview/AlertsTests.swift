import Foundation
import Testing

@testable import Console

/// The page and the alerts say the same.
@Suite struct AlertsTests {
    @Test func everyAlertIsAProblemOrOneThatNoRowTells() throws {
        let rules = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../deploy/prometheus/fanfare.rules.yml")
        let text = try String(contentsOf: rules, encoding: .utf8)
        let alerts = Set(text.matches(of: #/- alert: (\w+)/#).map { String($0.1) })
        let told = Problem.Kind.allCases.flatMap(\.alerts)
        #expect(alerts.count > 15)
        #expect(Set(told + Problem.Kind.untold) == alerts)
        #expect(Set(told).isDisjoint(with: Problem.Kind.untold))
    }
}
