import ProgramSupport
import Foundation
import Testing

/// `fanfare-emulator inbox`, `wait`, `clear`, `journal`, `fault` and `device`, against one that runs.
@Suite struct AskEmulatorTests {
    private let bare = BuiltProgram("fanfare-emulator", settings: nil)

    /// Runs a command that asks one emulator.
    private struct Asking {
        let program: BuiltProgram
        let address: String

        func callAsFunction(_ arguments: [String]) async throws -> BuiltProgram.Ended {
            try await program.run(arguments + ["--at", address])
        }
    }

    /// Sends `Hello` to `World` with the page's form.
    private static func send(to address: String) async throws -> String {
        try await Tool("curl")(
            [
                "-sS", "-o", "/dev/null", "-w", "%{http_code}", "http://\(address)/_emulator/page/send", "-d",
                "tags=World&body=%7B%22message%22%3A%22Hello%22%7D",
            ]
        ).output
    }

    /// Lends an emulator with the hub `news`, and what asks it.
    private func withEmulator(_ body: (_ ask: Asking) async throws -> Void) async throws {
        let emulator = try RunningProgram(bare, "--hub", "news", "--listen", "127.0.0.1:0", "--quiet")
        let output = try await emulator.printed("/_emulator/journal")
        let address = String(try #require(output.firstMatch(of: #/listens on http://(127\.0\.0\.1:[0-9]+) /#)).1)
        try await body(Asking(program: bare, address: address))
        emulator.signal(SIGTERM)
        #expect(await emulator.end == 0)
    }

    @Test func aDeviceIsAddedListedAndRemoved() async throws {
        try await withEmulator { ask in
            let added = try await ask(
                ["device", "add", "alice", "--tag", "World", "--tag", "lang:fr", "--shows", "title", "--shows", "text"])
            #expect(added.status == 0, "\(added.errors)")
            let list = try await ask(["device", "list"])
            #expect(list.output.contains("alice") && list.output.contains("French · fr"))
            #expect(try await ask(["device", "list", "--tag", "none"]).output == "no devices\n")
            #expect(try await ask(["device", "remove", "alice"]).status == 0)
            let again = try await ask(["device", "remove", "alice"])
            #expect(again.status == 65 && again.errors.contains("news has no device alice"))
            #expect(try await ask(["device", "add", "bob", "--tag", "no good"]).status == 65)
        }
    }

    @Test func aWaitThatIsOverEndsWith75() async throws {
        try await withEmulator { ask in
            let ended = try await ask(["wait", "--device", "alice", "--count", "2", "--timeout", "0"])
            #expect(ended.status == 75 && ended.errors.contains("0 of 2 arrived"))
            let json = try await ask(["wait", "--timeout", "0", "--json"])
            #expect(json.status == 75 && json.output.contains(#""arrivals":[]"#))
        }
    }

    /// A second run of a script passed on what the first one had left.
    @Test func aWaitCountsFromItsCursorOnly() async throws {
        try await withEmulator { ask in
            #expect(try await ask(["device", "add", "alice", "--tag", "World", "--shows", "message"]).status == 0)
            let cursor = try await ask(["cursor"])
            #expect(cursor.output == "0\n")
            #expect(try await Self.send(to: ask.address) == "303")
            #expect(try await ask(["wait", "--tag", "World", "--since", "0"]).output.contains("Hello"))
            let second = try await ask(["wait", "--tag", "World", "--timeout", "0"])
            #expect(second.status == 75 && second.errors.contains("1 notification came before the wait began"))
            #expect(second.errors.contains("fanfare-emulator cursor"))
            #expect(try await ask(["cursor"]).output == "1\n")
            let ahead = try await ask(["wait", "--since", "7", "--timeout", "0"])
            #expect(ahead.status == 65 && ahead.errors.contains("another emulator"))
        }
    }

    @Test func theClockIsShownAdvancedAndReset() async throws {
        try await withEmulator { ask in
            #expect(!(try await ask(["clock"]).output.contains("ahead")))
            let advanced = try await ask(["clock", "advance", "1d"])
            #expect(advanced.status == 0 && advanced.output.contains("1 d 0 h ahead"), "\(advanced.errors)")
            let cleared = try await ask(["clear"])
            #expect(cleared.errors.contains("1 d 0 h ahead; to put it back: fanfare-emulator clock reset"))
            #expect(try await ask(["clock", "reset"]).status == 0)
            #expect(!(try await ask(["clear"]).errors.contains("ahead")))
            #expect(try await ask(["clock", "show", "--json"]).output.contains(#""advancedSeconds":0"#))
        }
    }

    @Test func aChangeSaysWhichEmulatorItChanged() async throws {
        try await withEmulator { ask in
            let address = ask.address
            for arguments in [
                ["device", "add", "a"], ["device", "remove", "a"], ["clear"], ["fault", "add", "next=1", "status=500"],
                ["fault", "clear"], ["clock", "advance", "1s"],
            ] {
                let ended = try await ask(arguments)
                #expect(
                    ended.errors.contains("changed the emulator at \(address), which runs since 20"), "\(arguments)")
            }
            #expect(try await ask(["device", "list"]).errors.isEmpty)
        }
    }

    @Test func everyCommandAnswersInJSON() async throws {
        try await withEmulator { ask in
            for arguments in [
                ["device", "add", "a"], ["device", "list"], ["device", "remove", "a"], ["cursor"], ["clear"], ["inbox"],
                ["journal"], ["journal", "--check", "id"], ["fault", "add", "next=1", "status=500"], ["fault", "list"],
                ["fault", "clear"], ["clock", "advance", "1s"], ["clock", "show"], ["clock", "reset"],
            ] {
                let ended = try await ask(arguments + ["--json"])
                #expect(ended.status == 0, "\(arguments): \(ended.errors)")
                #expect(throws: Never.self, "\(arguments): \(ended.output)") {
                    try JSONSerialization.jsonObject(with: Data(ended.output.utf8), options: .fragmentsAllowed)
                }
            }
        }
    }

    @Test func theAddressComesFromTheEnvironment() async throws {
        var program = BuiltProgram("fanfare-emulator", settings: nil)
        program.environment = ["EMULATOR_AT": "127.0.0.1:0"]
        let emulator = try RunningProgram(program, "--hub", "news", "--quiet")
        let output = try await emulator.printed("/_emulator/journal")
        let address = String(try #require(output.firstMatch(of: #/listens on http://(127\.0\.0\.1:[0-9]+) /#)).1)
        #expect(!address.hasSuffix(":8099"))
        program.environment = ["EMULATOR_AT": address]
        #expect(try await program.run(["cursor"]).output == "0\n")
        program.environment = ["EMULATOR_AT": "nonsense"]
        let wrong = try await program.run(["cursor"])
        #expect(wrong.status == 64 && wrong.errors.contains("EMULATOR_AT: nonsense is not HOST:PORT"))
        emulator.signal(SIGTERM)
        #expect(await emulator.end == 0)
    }

    @Test func faultsAreSetListedAndCleared() async throws {
        try await withEmulator { ask in
            let added = try await ask(["fault", "add", "every=10", "status=429", "retryAfter=2"])
            #expect(added.output == "fault 1\n", "\(added.errors)")
            let list = try await ask(["fault", "list"]).output
            #expect(list.contains("every 10th") && list.contains("429, Retry-After 2 s"))
            #expect(try await ask(["fault", "clear"]).status == 0)
            #expect(try await ask(["fault", "list"]).output == "no faults\n")
            let wrong = try await ask(["fault", "add", "statsu=1"])
            #expect(wrong.status == 65 && wrong.errors.contains("unknown key statsu"))
        }
    }

    @Test func emptyAnswersAreSaidPlainly() async throws {
        try await withEmulator { ask in
            let inbox = try await ask(["inbox"])
            #expect(inbox.status == 0 && inbox.output == "")
            #expect(try await ask(["inbox", "--json"]).output.contains(#""arrivals":[]"#))
            #expect(try await ask(["journal"]).output == "")
            #expect(try await ask(["journal", "--check", "id"]).status == 0)
            #expect(try await ask(["clear"]).status == 0)
            #expect(try await ask(["clear", "--journal"]).status == 0)
        }
    }

    @Test func nobodyThereIsSaid() async throws {
        let ended = try await bare.run(["inbox", "--at", "127.0.0.1:1"])
        #expect(ended.status == 69 && ended.errors.contains("Start one: fanfare-emulator"))
    }

    @Test(arguments: [
        ["inbox", "--limit", "0"], ["wait", "--count", "0"], ["clear", "a", "--journal"], ["fault", "add"],
        ["fault", "add", "x"], ["journal", "--check", "a", "--check-tracking"],
        ["wait", "--since", "-1"], ["cursor", "--hub", "news"], ["clock", "--hub", "news"],
        ["clock", "advance", "soon"],
        ["run", "--policy", "a:fly", "--hub", "x"],
        ["run", "--policy", ":send", "--hub", "x"], ["run", "--tls-port", "70000", "--hub", "x"],
    ])
    func aWrongCommandLineIsRefused(arguments: [String]) async throws {
        #expect(try await bare.run(arguments).status == 64)
    }

    @Test func aPolicyMayOnlyDoWhatItSays() async throws {
        let emulator = try RunningProgram(
            bare, "--hub", "news", "--listen", "127.0.0.1:0", "--policy", "backend:send", "--policy",
            "app:listen+manage:c2VjcmV0", "--quiet")
        let output = try await emulator.printed("/_emulator/journal")
        #expect(output.contains("SharedAccessKeyName=backend;SharedAccessKey=ZW11bGF0b3I="))
        #expect(output.contains("SharedAccessKeyName=app;") && !output.contains("c2VjcmV0"))
        emulator.signal(SIGTERM)
        #expect(await emulator.end == 0)
    }
}
