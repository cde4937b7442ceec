import ArgumentParser
import Testing

@testable import Console
@testable import Store
@testable import fanfare

/// The commands that the console shows can be pasted.
@Suite struct CommandsOfPagesTests {
    /// The last command in a sentence: `fanfare hub resume news`.
    private func command(in words: String) -> String? {
        words.firstMatch(of: #/.*\b(fanfare [a-z][^.;,()]*)/#.dotMatchesNewlines()).map { String($0.1) }
    }

    private func hub(_ state: String) -> SystemStatus.Hub {
        SystemStatus.Hub(
            hub: "news", kind: "notification-hubs", state: state, due: 0, later: 0, workers: 1, key: "primary")
    }

    private func parses(_ command: String) -> Bool {
        let words = command.split(separator: " ").map(String.init)
        guard words.first == "fanfare" else { return false }
        do {
            _ = try Fanfare.parseAsRoot(Array(words.dropFirst()))
            return true
        } catch {
            return false
        }
    }

    @Test func theSameAsACommandIsOne() {
        let all = OverviewElsewhere.all(for: Person("Ann", rights: Set(Right.allCases)))
        #expect(all.count > 5)
        for elsewhere in all { #expect(elsewhere.command.map(parses) == true, "\(elsewhere)") }
        #expect(!parses("fanfare nothing") && !parses("fanfare status --nothing"))
    }

    @Test(arguments: ["gate closed", "paused", "held"])
    func whatToDoAboutAHubIsACommand(state: String) throws {
        let hub = self.hub(state)
        #expect(parses(try #require(command(in: Remedies.state(of: hub)))))
        #expect(parses(try #require(command(in: Remedies.unserved(hub)))))
    }

    @Test func whatToDoAboutDoubtsAndABacklogIsACommand() throws {
        #expect(parses(try #require(command(in: Remedies.doubts))))
        let open = hub("open")
        #expect(parses(try #require(command(in: Remedies.waiting(open, isMoving: true)))))
    }
}
