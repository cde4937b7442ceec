import Pages
import Testing

@testable import Console

/// What the page of messages offers for all that match.
@Suite struct MatchingViewTests {
    private func offered(
        _ query: String, _ rights: Set<Right> = [.look, .operate], readOnly: Bool = false
    ) -> MatchingView? {
        var options = ConsoleOptions()
        options.isReadOnly = readOnly
        return MatchingView(
            MessageFilter(FormFields(query[...])),
            for: Visit(person: Person("Ann", rights: rights), options: options, now: 0))
    }

    @Test(arguments: [
        ("hub=news", ["retry-all", "cancel-all", "resolve-all", "resolve-all", "resolve-all"], 0),
        ("status=rejected", ["retry-all"], 2), ("status=due", ["cancel-all"], 2),
        ("reason=worker_lost", ["resolve-all", "resolve-all", "resolve-all"], 2), ("status=accepted", [], 3),
        ("", [], 0), ("id=5", [], 1),
    ])
    func actionsGoByTheFilters(query: String, actions: [String], obstacles: Int) throws {
        let view = try #require(offered(query))
        #expect(view.matchingActions.map(\.actionAddress) == actions.map { "/act/" + $0 })
        #expect(view.matchingObstacles.count == obstacles)
    }

    @Test func theFilterInTheWayIsNamedAndCanBeRemoved() throws {
        let view = try #require(offered("hub=n%26s&status=rejected&before=7"))
        let obstacle = try #require(view.matchingObstacles.first)
        #expect(obstacle.obstacleWords.hasPrefix("Cancel: only for messages that are scheduled, waiting, due"))
        #expect(obstacle.obstacleWords.hasSuffix("The filter status rejected leaves them out."))
        #expect(
            obstacle.obstacleAddress == "/messages?hub=n%26s" && obstacle.obstacleLink == "Without reason and status")
    }

    @Test func thePageThatIsShownIsNoFilter() throws {
        let fields = try #require(offered("hub=news&before=7")?.matchingActions.first?.actionFields)
        #expect(fields.map(\.hiddenName) == ["hub"])
    }

    @Test func onlyWhoMayActSeesIt() {
        #expect(offered("hub=news", [.look]) == nil)
        #expect(offered("hub=news", readOnly: true) == nil)
    }
}
