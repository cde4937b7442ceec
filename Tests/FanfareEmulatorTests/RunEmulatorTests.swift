import ProgramSupport
import Foundation
import Glibc
import HTTPTransport
import Signing
import Testing

/// `fanfare-emulator` as a process, spoken to over HTTP.
@Suite struct RunEmulatorTests {
    private static let key = Secret("ZW11bGF0b3I=")

    /// With the config.json that comes with Fanfare.
    private let fanfare = BuiltProgram(
        "fanfare-emulator",
        settings: URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../config.json").standardized.path())

    /// Without settings.
    private let bare = BuiltProgram("fanfare-emulator", settings: nil)

    /// Where it listens, as it says.
    private func address(_ emulator: RunningProgram) async throws -> String {
        let output = try await emulator.printed("/_emulator/journal")
        return String(try #require(output.firstMatch(of: #/listens on (http://127\.0\.0\.1:[0-9]+) /#)).1)
    }

    /// Posts one template message for the tag World.
    private func send(to base: String, hub: String = "breaking-news", key: Secret = Self.key) async throws -> Int? {
        let resource = "\(base)/\(hub)"
        let token = SAS.token(
            resource: resource, keyName: "emulator", key: key, expiry: Int64(Date().timeIntervalSince1970) + 60)
        let headers = SharedHeaders([
            try HeaderLine("Authorization", token.header.reveal()),
            try HeaderLine("Content-Type", "application/json;charset=utf-8"),
            try HeaderLine("ServiceBusNotification-Format", "template"),
            try HeaderLine("ServiceBusNotification-Tags", "World"),
        ])
        let loop = try HTTPClient(TransportSettings())
        let reply = await loop.perform(
            Request(
                url: "\(resource)/messages/?api-version=2020-06", shared: headers,
                body: Array(#"{"title_English": "Hello"}"#.utf8)))
        await loop.shutdown()
        guard case .answered(let response) = reply.outcome else { return nil }
        return response.status
    }

    @Test func theSettingsThatComeWithFanfareWorkAtOnce() async throws {
        let emulator = try RunningProgram(fanfare, "--listen", "127.0.0.1:0")
        let base = try await address(emulator)
        let output = try await emulator.printed(": change them.")
        #expect(output.contains("Endpoint=\(base)/;SharedAccessKeyName=emulator;SharedAccessKey=ZW11bGF0b3I="))
        #expect(try await send(to: base) == 201)
        try await emulator.printed("breaking-news  201  World  0 notifications  title_English \"Hello\"")
        #expect(try await send(to: base, key: Secret("b3RoZXI=")) == 401)
        try await emulator.printed("breaking-news  401  World")
        emulator.signal(SIGTERM)
        #expect(await emulator.end == 0)
        #expect(emulator.complaints.contains("warning: the hub breaking-news has no devices"))
    }

    @Test func aNamedHubNeedsNoSettings() async throws {
        let emulator = try RunningProgram(
            bare, "--hub", "one", "--hub", "two", "--listen", "127.0.0.1:0", "--quiet")
        let base = try await address(emulator)
        #expect(try await send(to: base, hub: "two") == 201)
        #expect(try await send(to: base, hub: "three") == 404)
        emulator.signal(SIGINT)
        #expect(await emulator.end == 0)
        #expect(try await !emulator.printed("two").contains("  201  "))
    }

    @Test func devicesComeOutOfAFile() async throws {
        let scratch = try ScratchDirectory()
        let template = #"{\"aps\":{\"alert\":\"$(title_English)\"}}"#
        let file = try scratch.write(
            """
            [{"installationId": "a", "platform": "apns", "pushChannel": "00", "tags": ["World"],
              "templates": {"t": {"body": "\(template)"}}},
             {"installationId": "b", "platform": "apns", "pushChannel": "01", "hub": "breaking-news"}]
            """, to: "devices.json")
        let emulator = try RunningProgram(fanfare, "--listen", "127.0.0.1:0", "--devices", file)
        #expect(try await send(to: try await address(emulator)) == 201)
        try await emulator.printed("World  1 notification  ")
        emulator.signal(SIGTERM)
        #expect(await emulator.end == 0)
    }

    @Test(arguments: [
        (#"{}"#, "not a JSON array"),
        (#"[{"platform": "apns"}]"#, "device 1: "),
        (#"[{"installationId": "a", "platform": "apns", "pushChannel": "00", "hub": "none"}]"#, "no hub none"),
    ])
    func aDeviceThatIsWrongIsNamed(json: String, words: String) async throws {
        let scratch = try ScratchDirectory()
        let file = try scratch.write(json, to: "devices.json")
        let ended = try await bare("--hub", "one", "--listen", "127.0.0.1:0", "--devices", file)
        #expect(ended.status == 65)
        #expect(ended.errors.contains(words), "\(ended.errors)")
    }

    @Test func aPortInUseIsSaidSo() async throws {
        let first = try RunningProgram(fanfare, "--listen", "127.0.0.1:0")
        let address = try await address(first).dropFirst("http://".count)
        let ended = try await fanfare("--listen", String(address))
        #expect(ended.status == 69)
        #expect(ended.errors.contains("cannot listen on \(address): address already in use"))
        #expect(ended.errors.contains("hint: "))
        first.signal(SIGTERM)
        #expect(await first.end == 0)
    }

    @Test func itStartsAloneWithUsefulDefaults() async throws {
        let emulator = try RunningProgram(bare, "--listen", "127.0.0.1:0", "--quiet")
        let base = try await address(emulator)
        let output = try await emulator.printed("/_emulator/journal")
        #expect(output.contains("news") && output.contains("Endpoint=\(base)/;SharedAccessKeyName=emulator"))
        #expect(try await send(to: base, hub: "news") == 201)
        emulator.signal(SIGTERM)
        #expect(await emulator.end == 0)
    }

    /// `fanfare emulate` becomes the program beside it, with everything behind it.
    @Test func fanfareEmulateRunsTheProgramBesideIt() async throws {
        let emulator = try RunningProgram(
            BuiltProgram(settings: nil), "emulate", "--hub", "one", "--listen", "127.0.0.1:0", "--quiet")
        #expect(try await send(to: try await address(emulator), hub: "one") == 201)
        emulator.signal(SIGTERM)
        #expect(await emulator.end == 0)
        #expect(try await BuiltProgram(settings: nil)("emulate", "--help").output.contains("USAGE: fanfare"))
    }

    @Test func fanfareEmulateSaysWhereToGetTheProgram() async throws {
        let scratch = try ScratchDirectory()
        let alone = try await scratch.program(BuiltProgram.path(of: "fanfare"), as: "fanfare")
        var program = BuiltProgram(alone, settings: nil)
        program.environment["PATH"] = scratch.path  // an installed one would be found
        let ended = try await program("emulate")
        #expect(ended.status == 69)
        #expect(ended.errors.contains("hint: Install the package fanfare-emulator"), "\(ended.errors)")
    }

    @Test func aHubElsewhereIsNotServed() async throws {
        let scratch = try ScratchDirectory()
        let settings = try scratch.write(
            """
            {"hubs": {"news": {"hub": "breaking-news", "connectionString":
              "Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=\(BuiltProgram.secrets[0])"}}}
            """, to: "config.json")
        let ended = try await BuiltProgram("fanfare-emulator", settings: settings)("--listen", "127.0.0.1:0")
        #expect(ended.status == 78)
        #expect(ended.errors.contains("no hub of"))
    }

    @Test func settingsAndNamedHubsExcludeEachOther() async throws {
        #expect(try await fanfare("--hub", "one").status == 64)
        #expect(try await bare("--hub", "_emulator").status == 64)
    }
}
