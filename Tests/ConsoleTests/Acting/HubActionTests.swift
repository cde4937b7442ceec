import HTTPServer
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Console

/// Actions end to end, without a socket: the form, the question, the change in the database, the record.
@Suite struct HubActionTests {
    private func console(
        as name: String = "Ann", rights: Set<Right> = [.look, .operate], options: ConsoleOptions = ConsoleOptions()
    ) async throws -> (TestDatabase, TestConsole) {
        let test = try await TestDatabase.make()
        try await test.database.execute("SELECT push.add_hub('shop')")
        let login = try await test.login(as: "push_console")
        return (test, TestConsole(login.database, person: Person(name, rights: rights), options: options))
    }

    private func state(_ test: TestDatabase) async throws -> [String] {
        try await test.texts("SELECT concat_ws(': ', state, why) FROM push.hub_health WHERE hub = 'shop'")
    }

    private func confirmation(_ page: String) throws -> String {
        let field = try #require(page.firstRange(of: "name=\"confirmation\" value=\""))
        return String(page[field.upperBound...].prefix { $0 != "\"" })
    }

    private func body(_ response: Response?) throws -> String {
        String(decoding: try #require(response).body, as: UTF8.self)
    }

    /// Waits until the action is over.
    private func ended(_ console: TestConsole, _ response: Response?) async throws -> ActionRecord {
        let address = try #require(response?.headers[.location])
        let id = String(try #require(address.split(separator: "/").last))
        while true {
            if let record = await console.desk.record(id), record.isOver { return record }
            await Task.yield()
        }
    }

    @Test func aHubIsPausedByThePersonAfterTheQuestion() async throws {
        let (test, console) = try await console()
        let asked = try body(try await console.post("/act/pause-hub", ["hub": "shop", "reason": "new <key>"]))
        #expect(asked.contains("Pause hub shop?") && asked.contains("Pause the hub"))
        #expect(asked.contains("SELECT push.pause_hub(&#39;shop&#39;, &#39;new &lt;key&gt;&#39;)"))
        #expect(try await state(test) == ["open"])

        let number = try confirmation(asked)
        let done = try await console.post(
            "/act/pause-hub", ["hub": "shop", "reason": "new <key>", "confirmation": number])
        #expect(done?.status == 303)
        #expect(try await ended(console, done).state == .done)
        #expect(try await state(test) == ["paused: paused by Ann: new <key>"])
        #expect(try await test.texts("SELECT person FROM push.audit WHERE action = 'pause_hub'") == ["Ann"])
    }

    @Test func aDoubleClickActsOnce() async throws {
        let (test, console) = try await console()
        let number = try confirmation(try body(try await console.post("/act/pause-hub", ["hub": "shop"])))
        let both = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await console.post("/act/pause-hub", ["hub": "shop", "confirmation": number])?
                        .headers[.location]
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(both.count == 1)
        _ = try await ended(console, try await console.post("/act/pause-hub", ["hub": "shop", "confirmation": number]))
        #expect(try await test.number("SELECT count(*) FROM push.audit WHERE action = 'pause_hub'") == 1)
    }

    @Test func aConfirmationOfSomethingElseAsksAgain() async throws {
        let (test, console) = try await console()
        let number = try confirmation(try body(try await console.post("/act/pause-hub", ["hub": "shop"])))
        for fields: KeyValuePairs in [
            ["hub": "shop", "reason": "more", "confirmation": number], ["hub": "shop", "confirmation": number + "x"],
            ["hub": "shop", "confirmation": "."], ["hub": "shop", "confirmation": "x"],
        ] {
            let response = try await console.post("/act/pause-hub", fields)
            #expect(response?.status == 200)
            #expect(try body(response).contains("name=\"confirmation\""))
        }
        #expect(try await console.post("/act/rotate-hub", ["hub": "shop", "confirmation": number])?.status == 200)
        #expect(try await state(test) == ["open"])
    }

    @Test func whatChangedMeanwhileIsShownAndNothingIsDone() async throws {
        let (test, console) = try await console()
        let number = try confirmation(try body(try await console.post("/act/pause-hub", ["hub": "shop"])))
        try await test.database.execute("SELECT push.pause_hub('shop', 'by somebody else')")
        let late = try body(
            try await console.post("/act/pause-hub", ["hub": "shop", "confirmation": number]))
        #expect(late.contains("It is already paused by") && late.contains("by somebody else"))
        #expect(!late.contains("name=\"confirmation\""))
    }

    @Test func aNameIsTypedBeforeWhatCannotBeUndone() async throws {
        let (test, console) = try await console()
        let number = try confirmation(try body(try await console.post("/act/cancel-devices", ["hub": "shop"])))
        let fields: KeyValuePairs = ["hub": "shop", "confirmation": number, "typed": "shopp"]
        let refused = try await console.post("/act/cancel-devices", fields)
        #expect(refused?.status == 422)
        #expect(try body(refused).contains("This is not it. Nothing was done."))
        #expect(try await test.number("SELECT count(*) FROM push.audit WHERE action = 'cancel_devices'") == 0)
        let again = try confirmation(try body(refused))
        let done = try await console.post(
            "/act/cancel-devices", ["hub": "shop", "confirmation": again, "typed": "shop"])
        #expect(try await ended(console, done).state == .done)
    }

    @Test func theServerRefusesWhomTheConfigurationDoesNotAllow() async throws {
        let (test, console) = try await console(rights: [.look])
        let refused = try await console.post("/act/pause-hub", ["hub": "shop"])
        #expect(refused?.status == 403)
        #expect(try body(refused).contains("&quot;operate&quot;"))
        #expect(try await state(test) == ["open"])
    }

    @Test func aConsoleThatOnlyReadsChangesNothing() async throws {
        var options = ConsoleOptions()
        options.isReadOnly = true
        let (_, console) = try await console(options: options)
        #expect(try await console.post("/act/pause-hub", ["hub": "shop"])?.status == 403)
    }

    @Test func theWordsOfTheDatabaseAreShown() async throws {
        let (test, console) = try await console()
        let number = try confirmation(
            try body(try await console.post("/act/set-hub-rate", ["hub": "shop", "rate": "1e30"])))
        let done = try await console.post(
            "/act/set-hub-rate", ["hub": "shop", "rate": "1e30", "confirmation": number])
        let record = try await ended(console, done)
        guard case .failed(let words, _) = record.state else {
            Issue.record("\(record.state)")
            return
        }
        #expect(words.contains("rate"))
        let page = try await console.page("/actions/" + record.id)
        #expect(page.contains("not done"))
        #expect(try await test.number("SELECT count(*) FROM push.audit WHERE action = 'set_rate'") == 0)
    }

    @Test(arguments: ["", "fast", "-1", "nan", "inf", "0"])
    func aRateThatCannotBeReadIsRefused(rate: String) async throws {
        let (_, console) = try await console()
        let refused = try await console.post("/act/set-hub-rate", ["hub": "shop", "rate": rate])
        #expect(refused?.status == 422)
        #expect(try body(refused).contains("A number above 0"))
    }

    @Test func anUnknownHubOrActionIsSaidToBeOne() async throws {
        let (_, console) = try await console()
        let page = try body(try await console.post("/act/pause-hub", ["hub": "<none>"]))
        #expect(page.contains("No hub is registered under this name") && page.contains("&lt;none&gt;"))
        #expect(try await console.post("/act/nothing", [:])?.status == 404)
        #expect(try await console.post("/about", [:])?.status == 404)
        #expect(try await console.get("/actions/unknown")?.status == 404)
    }

    @Test func aFormThatIsTooLargeIsRefused() async throws {
        let (_, console) = try await console()
        let response = try await console.send(.post, "/act/pause-hub", [UInt8](repeating: 97, count: 20_000))
        #expect(response?.status == 413)
    }
}
