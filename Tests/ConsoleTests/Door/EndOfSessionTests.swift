import HTTPServer
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Console

/// A session ends while a form is open: nothing is done, and what was typed can be sent again.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EndOfSessionTests {
    private static let name = "ann"
    private let clock = TestClock()

    private func account(_ rights: Set<Right> = [.look, .operate, .campaigns], password: String = "correct horse")
        -> Account
    {
        Account(Person(Self.name, rights: rights), password: .make(of: password, cost: .cheap))
    }

    private func settings(_ account: Account) -> DoorSettings {
        DoorSettings(people: People([account]), hosts: [], proxies: [], userHeader: nil)
    }

    private func cookie(_ account: Account) throws -> HTTPFields {
        let value = try #require(SessionCookie.value(for: account, now: clock.now))
        return [.cookie: "fanfare-console=\(value)", .secFetchSite: "same-origin"]
    }

    private func door(_ account: Account) -> SignInDoor {
        SignInDoor(
            settings(account), options: ConsoleOptions(), listening: "127.0.0.1", clock: { [clock] in clock.now },
            now: { [clock] in clock.now })
    }

    private func page(_ response: Response?) throws -> String {
        String(decoding: try #require(response).body, as: UTF8.self)
    }

    private enum End: CaseIterable { case twelveHours, password, right, clock }

    @Test(arguments: End.allCases) private func aFormThatWasOpenIsRefusedWithWordsAndCanBeSentAgain(end: End)
        async throws
    {
        let bench = try await ConsoleBench.make()
        let ann = account()
        let door = door(ann)
        let console = TestConsole(bench.login.database, behind: door)
        let before = try cookie(ann)
        let form = try page(try await console.get("/campaigns/new", headers: before))
        let typed = Array(FilledForm.body(of: form, pressing: "draft", typing: ["name": "spring", "rate": "7"]).utf8)
        let asked = try SeenQuestion(try await console.post("/act/pause-hub", ["hub": "news"], headers: before))
        let confirmation = try #require(asked.form).fields

        var now = ann
        switch end {
        case .twelveHours: clock.now += 43_200
        case .password: now = account(password: "another horse")
        case .right: now = account([.look])
        case .clock: clock.now -= 86_400
        }
        door.replace(settings(now), ConsoleOptions())
        let late = try #require(try await console.send(.post, "/campaigns/new", typed, headers: before))
        #expect(late.status == 401 && late.headers[.location] == nil)
        let words = try page(late)
        #expect(words.contains("nothing was done") && words.contains("What you typed is not lost"), "\(words)")
        #expect(try await console.post("/act/pause-hub", fields: confirmation, headers: before)?.status == 401)
        #expect(try await console.get("/", headers: before)?.status == 303)
        #expect(try await bench.test.number("SELECT count(*) FROM push.campaign") == 0)

        // The same form once more, after the person has signed in in another tab.
        let after = try cookie(now)
        let again = try #require(try await console.send(.post, "/campaigns/new", typed, headers: after))
        let confirmed = try #require(try await console.post("/act/pause-hub", fields: confirmation, headers: after))
        if end == .right {
            #expect(again.status == 403 && confirmed.status == 403)
            #expect(try page(again).contains("This needs the right &quot;campaigns&quot;"))
            #expect(try page(confirmed).contains("This needs the right &quot;operate&quot;"))
            #expect(try await bench.test.number("SELECT count(*) FROM push.campaign") == 0)
        } else {
            #expect(again.status == 303 && confirmed.status == 303)
            #expect(try await bench.test.texts("SELECT spec::text FROM push.campaign_revision") == [#"{"rate":7}"#])
        }
        let paused = try await console.get("/actions", headers: after)
        #expect(try page(paused).contains("Pause hub news") == (end != .right))
    }
}
