import Testing

@testable import Console
@testable import Store

/// Buttons only where they would do something.
@Suite struct HubActionsViewTests {
    private func labels(_ state: String, workers: Int64 = 1, _ rights: Set<Right> = [.look, .operate]) -> [String]? {
        let health = HubHealth(
            hub: "a&b", kind: "fcm", state: state, workers: workers, key: "primary", isRateSet: false)
        let visit = Visit(person: Person("Ann", rights: rights), options: ConsoleOptions(), now: 0)
        return HubActionsView("a&b", health, for: visit)?.buttons.map(\.actionLabel)
    }

    @Test func theyGoByTheStateOfTheHub() {
        #expect(labels("open") == ["Pause", "Use the other key"])
        #expect(labels("paused") == ["Resume", "Use the other key"])
        #expect(labels("held", workers: 0) == ["Resume", "Pause"])
        #expect(labels("gate closed") == ["Pause", "Open the gate", "Use the other key"])
    }

    @Test func aPersonWhoMayNotActHasNone() { #expect(labels("open", [.look]) == nil) }

    @Test func theHubOfAButtonIsTheHubOfThePage() throws {
        let health = HubHealth(hub: "a&b", kind: "fcm", state: "open", workers: 1, key: "primary", isRateSet: false)
        let visit = Visit(person: Person("Ann", rights: [.operate]), options: ConsoleOptions(), now: 0)
        let view = try #require(HubActionsView("a&b", health, for: visit))
        #expect(view.buttons.allSatisfy { $0.actionFields.map(\.hiddenValue) == ["a&b"] })
    }
}
