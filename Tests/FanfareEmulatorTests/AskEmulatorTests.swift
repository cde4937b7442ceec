import ProgramSupport
import Foundation
import Testing

/// `fanfare-emulator inbox`, `wait`, `clear`, `journal`, `fault` and `device`, against one that runs.
@Suite struct AskEmulatorTests {
    private let bare = BuiltProgram("fanfare-emulator", settings: nil)

    /// Lends an emulator with the hub `news`, and what asks it.
    private func withEmulator(_ body: (_ ask: ([String]) async throws -> BuiltProgram.Ended) async throws -> Void)
        async throws
    {
        let emulator = try RunningProgram(bare, "--hub", "news", "--listen", "127.0.0.1:0", "--quiet")
        let output = try await emulator.printed("/_emulator/journal")
        let address = String(try #require(output.firstMatch(of: #/listens on http://(127\.0\.0\.1:[0-9]+) /#)).1)
        try await body { arguments in try await bare.run(arguments + ["--at", address]) }
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
