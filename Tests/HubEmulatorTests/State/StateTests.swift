import Foundation
import Testing

@testable import HubEmulator

/// What outlives an emulator, and what a damaged or a taken file does.
@Suite struct StateTests {
    /// A folder of its own that is gone afterwards.
    private func withFile(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("state-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appendingPathComponent("state").path)
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    private func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private func ask(_ bench: Bench, _ method: String, _ target: String, _ body: String = "") async throws
        -> Client.Reply
    {
        try await bench.exchange(
            bench.request(method, target, token: bench.token("all"), headers: ["If-Match": "*"], body: body))
    }

    @Test func everythingRegisteredIsThereAgain() async throws {
        try await withFile { path in
            var id = ""
            var reserved = ""
            try await Bench.run({ $0.stateFile = path }) { bench in
                let device = Installation("i", pushChannel: .handle("AA"), tags: ["World"], templates: ["t": "{}"])
                for _ in 1...3 { try bench.emulator.register(device, at: "news") }
                try bench.emulator.register(Installation("j", pushChannel: .handle("AA")), at: "sports")
                let made = try await ask(bench, "POST", "/news/registrations", StoredRegistrationTests.phone)
                id = String(try #require(made.body.firstMatch(of: /<RegistrationId>([^<]+)</)).output.1)
                #expect(
                    try await ask(bench, "PUT", "/news/registrations/\(id)", StoredRegistrationTests.phone).status
                        == 200)
                let location = try await ask(bench, "POST", "/news/registrationids").headers["location"]
                reserved = try #require(location?.split(separator: "/").last).description
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let before = try text(path)
            try await Bench.run({ $0.stateFile = path }) { bench in
                let devices = try bench.emulator.devices(at: "news")
                #expect(devices == [id, "i"].sorted())
                #expect(try bench.emulator.devices(at: "sports") == ["j"])
                let native = RegistrationID(device: "i", template: nil).text
                for (id, etag) in [(native, "W/\"3\""), (id, "W/\"2\"")] {
                    #expect(try await ask(bench, "GET", "/news/registrations/\(id)").headers["etag"] == etag)
                }
                #expect(try await bench.exchange(bench.send(to: "World && t")).status == 201)
                #expect(bench.emulator.journal().first?.reached == 1)
            }
            #expect(try text(path) == before)
            try await Bench.run({ $0.stateFile = path }) { bench in
                let headers = ["X": "y"]
                let put = try await bench.exchange(
                    bench.request(
                        "PUT", "/news/registrations/\(reserved)", token: bench.token("all"), headers: headers,
                        body: StoredRegistrationTests.phone))
                #expect(put.status == 200)
            }
        }
    }

    /// No stop: what a killed process leaves.
    @Test func aChangeIsWrittenWhileItRuns() async throws {
        try await withFile { path in
            try await Bench.run({ $0.stateFile = path }) { bench in
                try bench.emulator.register(Installation("i", pushChannel: .handle("AA")), at: "news")
                while (try? text(path).contains("\"installationId\":\"i\"")) != true {
                    try await Task.sleep(for: .milliseconds(20))
                }
                let records = try StateRecord.read(Data(contentsOf: URL(fileURLWithPath: path)))
                #expect(records.map(\.record.installation?.installationId) == ["i"])
                #expect(!FileManager.default.fileExists(atPath: path + ".new"))
                #expect(try await ask(bench, "DELETE", "/news/installations/i").status == 204)
                while try text(path).contains("\"installationId\":\"i\"") {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
        }
    }

    @Test func whatAKilledWriteLeftBesideTheFileIsNotRead() async throws {
        try await withFile { path in
            try await Bench.run({ $0.stateFile = path }) { bench in
                try bench.emulator.register(Installation("i", pushChannel: .handle("AA")), at: "news")
            }
            try write("{\"format\":1}\n{\"hub", path + ".new")
            try await Bench.run({ $0.stateFile = path }) { bench in
                let devices = try bench.emulator.devices(at: "news")
                #expect(devices == ["i"])
                #expect(try await ask(bench, "DELETE", "/news/installations/i").status == 204)
            }
            #expect(try text(path) == "{\"format\":1}\n{\"records\":0}\n")
        }
    }

    @Test func aSecondEmulatorOnTheSameFileIsRefused() async throws {
        try await withFile { path in
            try await Bench.run({ $0.stateFile = path }) { _ in
                var settings = EmulatorSettings(hubs: [.init("news")])
                settings.stateFile = path
                let second = try HubEmulator(settings)
                await #expect(throws: EmulatorError("cannot use the state file \(path): another emulator has it")) {
                    _ = try await second.start()
                }
            }
            // The first one is gone.
            try await Bench.run({ $0.stateFile = path }) { bench in #expect(bench.port > 0) }
        }
    }

    private static let head = #"{"format":1}"#
    private static let device =
        #"{"hub":"news","version":1,"installation":{"installationId":"i","platform":"apns","pushChannel":"AA"}}"#

    @Test(arguments: [
        ("", "line 1: not JSON"), ("{}\n", "line 1: it says no format"),
        (#"{"format":2}"# + "\n", "line 1: it is in format 2"),
        ("\(head)\n", "line 2: not JSON"), ("\(head)\n\(device)\n{\"hub\":\"ne", "line 3: not JSON"),
        ("\(head)\n\(device)", "line 2: it ends in the middle"),
        ("\(head)\n\(device)\n{\"records\":2}\n", "line 3: it counts 2 records, and there are 1"),
        ("\(head)\n\(device)\n{\"records\":1}\nx", "line 4: something follows"),
        ("\(head)\n\(device.replacing("AA", with: "XX"))\n{\"records\":1}\n", "line 2: The pushChannel of apns"),
        ("\(head)\n\(device.replacing("news", with: "old"))\n{\"records\":1}\n", "line 2: there is no hub old"),
        ("\(head)\n{\"hub\":\"news\"}\n{\"records\":1}\n", "line 2: it holds neither"),
        ("\(head)\n{\"reserved\":\"1-2-1\"}\n{\"records\":1}\n", "line 2: it names no hub"),
    ])
    func aDamagedFileIsNamedAndLeftAsItIs(content: String, reason: String) async throws {
        try await withFile { path in
            try write(content, path)
            var settings = EmulatorSettings(hubs: [.init("news")])
            settings.stateFile = path
            let emulator = try HubEmulator(settings)
            let error = await #expect(throws: EmulatorError.self) { _ = try await emulator.start() }
            #expect(error?.description.contains(path) == true)
            #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
            await emulator.stop()
            #expect(try text(path) == content)
        }
    }

    @Test func aPlaceThatCannotBeWrittenIsNamed() async throws {
        var settings = EmulatorSettings(hubs: [.init("news")])
        settings.stateFile = "/nowhere/at/all/state"
        let emulator = try HubEmulator(settings)
        await #expect(throws: EmulatorError("cannot open /nowhere/at/all/state.lock: No such file or directory")) {
            _ = try await emulator.start()
        }
    }

    @Test func seedsAreNotInTheFileUntilTheyAreChanged() async throws {
        try await withFile { path in
            for _ in 1...2 {
                try await Bench.run({
                    $0.stateFile = path
                    $0.seedDevices = 20
                }) { bench in
                    let devices = try bench.emulator.devices(at: "news")
                    #expect(devices.count == 20)
                    let patch = #"[{"op":"add","path":"/tags","value":"mine"}]"#
                    #expect(try await ask(bench, "PATCH", "/news/installations/seed-7", patch).status == 200)
                }
                let records = try StateRecord.read(Data(contentsOf: URL(fileURLWithPath: path)))
                #expect(records.map(\.record.installation?.installationId) == ["seed-7"])
            }
        }
    }
}

@Suite struct SeedTests {
    @Test func theSameNumberIsTheSameDevice() throws {
        for number in [1, 2, 999] { #expect(SyntheticDevices.device(number) == SyntheticDevices.device(number)) }
        #expect(SyntheticDevices.device(1) != SyntheticDevices.device(2))
        for number in 1...500 { try SyntheticDevices.device(number).check() }
    }

    @Test func everyLanguagePlatformAndTopicHasSome() async throws {
        try await Bench.run({ $0.seedDevices = 2_000 }) { bench in
            let body = SyntheticDevices.languages.map {
                "\"News_\($0.word)\":\"\($0.code)\",\"title_\($0.word)\":\"t\""
            }
            let tags =
                SyntheticDevices.languages.map { "lang:\($0.code)" } + SyntheticDevices.topics.map { "topic:\($0)" } + [
                    "user:1234"
                ]
            for tag in tags {
                #expect(try await bench.exchange(bench.send(to: tag, "{\(body.joined(separator: ","))}")).status == 201)
            }
            let reached = bench.emulator.journal().map(\.reached)
            #expect(reached.prefix(SyntheticDevices.languages.count).reduce(0, +) == 2_000)
            #expect(reached.allSatisfy { $0 > 0 })
            #expect(reached.last == 1)
            #expect(try bench.emulator.inbox(of: "seed-1234", at: "news").count == 4)
            for (platform, _) in SyntheticDevices.platforms {
                let metrics = try await bench.exchange(bench.request("GET", "/_emulator/metrics", token: ""))
                #expect(metrics.body.contains("registrations{hub=\"news\",platform=\"\(platform.rawValue)\"}"))
            }
        }
    }

    @Test func moreThanTheTierTakesIsRefused() async throws {
        var settings = EmulatorSettings(hubs: [.init("news")])
        settings.tier = .free
        settings.seedDevices = 501
        let emulator = try HubEmulator(settings)
        await #expect(throws: EmulatorError("501 seeds are more than the hub news takes: 500 devices in all")) {
            _ = try await emulator.start()
        }
        #expect(try emulator.devices(at: "news").isEmpty)
    }
}
