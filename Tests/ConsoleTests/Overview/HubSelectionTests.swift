import Testing

@testable import Console
@testable import Store

/// Which of many hubs a page lists.
@Suite struct HubSelectionTests {
    private let hubs = (1...341).map { number in
        let digits = String(number)
        return OverviewFixture.hub("hub-" + String(repeating: "0", count: 3 - digits.count) + digits)
    }

    @Test func theWorstFiftyAreShownAndTheOthersCounted() {
        let shown = HubSelection().shown(of: hubs, ["hub-300": .critical, "hub-200": .warning])
        #expect(shown.hubs.count == 50)
        #expect(shown.hubs.prefix(3).map(\.hub) == ["hub-300", "hub-200", "hub-001"])
        #expect(shown.wellOmitted == 291 && shown.badOmitted == 0 && shown.next == nil)
    }

    @Test func hubsThatAreNotWellAreNotCountedAsWell() {
        let severities = Dictionary(uniqueKeysWithValues: hubs.prefix(60).map { ($0.hub, Problem.Severity.warning) })
        let shown = HubSelection().shown(of: hubs, severities)
        #expect(shown.badOmitted == 10 && shown.wellOmitted == 281)
    }

    @Test func hubsWithMessagesComeBeforeThoseWithout() {
        var hubs = Array(hubs.prefix(3))
        hubs[2].due = 1
        #expect(HubSelection().shown(of: hubs, [:]).hubs.map(\.hub) == ["hub-003", "hub-001", "hub-002"])
    }

    @Test func allAreListedPageByPage() {
        var selection = HubSelection(all: true)
        let first = selection.shown(of: hubs, [:])
        #expect(first.hubs.count == 200 && first.next == "hub-200")
        selection.after = first.next
        let second = selection.shown(of: hubs, [:])
        #expect(second.hubs.first?.hub == "hub-201" && second.hubs.count == 141 && second.next == nil)
        selection.after = "zzz"
        #expect(selection.shown(of: hubs, [:]).hubs == [], "behind the last page there is nothing")
    }
}
