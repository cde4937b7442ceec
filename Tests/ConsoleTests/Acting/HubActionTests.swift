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
        return try await console.desk.ended(id)
    }

    @Test func aHubIsPausedByThePersonAfterTheQuestion() async throws {
        let (test, console) = try await console()
        let asked = try body(try await console.post("/act/pause-hub", ["hub": "shop", "reason": "new <key>"]))
        #expect(asked.contains("Pause hub shop?") && asked.contains("Pause the hub"))
        #expect(!asked.contains("name=\"typed\"") && !asked.contains("and this is"), "nothing has to be typed")
        #expect(asked.contains("SELECT push.pause_hub(&#39;shop&#39;, &#39;new &lt;key&gt;&#39;)"))
        // Nothing has to be typed for it: a field that must be filled in would keep everybody from it.
        #expect(!asked.contains("name=\"typed\"") && !asked.contains("You are Ann, and"))
        #expect(try await state(test) == ["open"])

        let number = try confirmation(asked)
        let done = try await console.post(
            "/act/pause-hub", ["hub": "shop", "reason": "new <key>", "confirmation": number])
        #expect(done?.status == 303)
        #expect(try await ended(console, done).state == .done)
        #expect(try await state(test) == ["paused: paused by Ann: new <key>"])
        #expect(try await test.texts("SELECT person FROM push.audit WHERE action = 'pause_hub'") == ["Ann"])
    }

    @Test func whoActedSeesNothingFromBefore() async throws {
        let test = try await TestDatabase.make()
        try await test.database.execute("SELECT push.add_hub('shop')")
        // A clock that stands still: every look is fresh for ever.
        let console = TestConsole(try await test.login(as: "push_console").database, sharing: Looks { 0 })
        #expect(try await console.page("/hubs/shop").contains(">open<"))
        let number = try confirmation(try body(try await console.post("/act/pause-hub", ["hub": "shop"])))
        let done = try await console.post("/act/pause-hub", ["hub": "shop", "confirmation": number])
        #expect(try await ended(console, done).state == .done)
        #expect(try await console.page("/hubs/shop").contains("paused by Ann"))
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
        try await test.database.execute("SELECT push.drop_device('shop', 'd' || g) FROM generate_series(1, 2) g")
        let asked = try body(try await console.post("/act/cancel-devices", ["hub": "shop"]))
        #expect(asked.contains("2 changes of devices wait there now."))
        let number = try confirmation(asked)
        let fields: KeyValuePairs = ["hub": "shop", "confirmation": number, "typed": "shopp"]
        let refused = try await console.post("/act/cancel-devices", fields)
        #expect(refused?.status == 422)
        #expect(try body(refused).contains("This is not it. Nothing was done."))
        #expect(try await test.number("SELECT count(*) FROM push.audit WHERE action = 'cancel_devices'") == 0)
        let again = try confirmation(try body(refused))
        let done = try await console.post(
            "/act/cancel-devices", ["hub": "shop", "confirmation": again, "typed": "shop"])
        #expect(try await ended(console, done).changed == 2)
        let late = try body(try await console.post("/act/cancel-devices", ["hub": "shop"]))
        #expect(late.contains("No change of a device waits at this hub") && !late.contains("name=\"confirmation\""))
    }

    @Test func devicesThatWaitAreTriedAgain() async throws {
        let (test, console) = try await console()
        let open = try body(try await console.post("/act/try-devices", ["hub": "shop"]))
        #expect(open.contains("they are applied") && !open.contains("name=\"confirmation\""))
        #expect(try await !console.page("/hubs/shop").contains("/act/try-devices"))
        try await test.database.execute(
            """
            INSERT INTO push.hub_state AS s (hub, devices_until, devices_why)
            SELECT id, now() + interval '1 hour', 'the key lacks <Listen>' FROM push.hub
            ON CONFLICT (hub) DO UPDATE SET devices_until = excluded.devices_until, devices_why = excluded.devices_why
            """)
        let form = try #require(
            SeenForm.all(in: try await console.page("/hubs/shop")).first { $0.address == "/act/try-devices" })
        let question = try await console.press(form)
        #expect(question.page.contains("the key lacks &lt;Listen&gt;"))
        #expect(try await console.carryOut(question).state == .done)
        #expect(try await test.texts("SELECT state FROM push.device_backlog") == ["open"])
        #expect(try await test.texts("SELECT person FROM push.audit WHERE action = 'resume_hub'") == ["Ann"])
        try await test.database.execute("SELECT push.pause_hub('shop', 'for lunch')")
        let paused = try body(try await console.post("/act/try-devices", ["hub": "shop"]))
        #expect(paused.contains("for lunch") && !paused.contains("name=\"confirmation\""))
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
