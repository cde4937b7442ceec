import Foundation
import Testing

@testable import HubEmulator

/// The state file across restarts, and what happens when it is damaged or in use.
@Suite struct StatePersisterTests {
    /// Passes the path of a state file in a temporary folder.
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

    private func ask(_ fixture: EmulatorFixture, _ method: String, _ target: String, _ body: String = "") async throws
        -> Client.Reply
    {
        try await fixture.exchange(
            fixture.request(method, target, token: fixture.token("all"), headers: ["If-Match": "*"], body: body))
    }

    @Test func registrationsSurviveARestart() async throws {
        try await withFile { path in
            var id = ""
            try await EmulatorFixture.run({ $0.stateFile = path }) { fixture in
                let device = Installation("i", pushChannel: .handle("AA"), tags: ["World"], templates: ["t": "{}"])
                for _ in 1...3 { try fixture.emulator.register(device, at: "news") }
                try fixture.emulator.register(Installation("j", pushChannel: .handle("AA")), at: "sports")
                let made = try await ask(fixture, "POST", "/news/registrations", RegistrationEntry.phone)
                id = String(try #require(made.body.firstMatch(of: /<RegistrationId>([^<]+)</)).output.1)
                #expect(
                    try await ask(fixture, "PUT", "/news/registrations/\(id)", RegistrationEntry.phone).status
                        == 200)
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let before = try text(path)
            try await EmulatorFixture.run({ $0.stateFile = path }) { fixture in
                let devices = try fixture.emulator.devices(at: "news")
                #expect(devices == [id, "i"].sorted())
                #expect(try fixture.emulator.devices(at: "sports") == ["j"])
                let native = RegistrationID(device: "i", template: nil).text
                for (id, etag) in [(native, "W/\"3\""), (id, "W/\"2\"")] {
                    #expect(try await ask(fixture, "GET", "/news/registrations/\(id)").headers["etag"] == etag)
                }
                #expect(try await fixture.exchange(fixture.send(to: "World && t")).status == 201)
                #expect(fixture.emulator.journal().first?.reached == 1)
            }
            #expect(try text(path) == before)
        }
    }

    /// Without `stop`: what a killed process leaves behind.
    @Test func aChangeIsWrittenWhileRunning() async throws {
        try await withFile { path in
            try await EmulatorFixture.run({ $0.stateFile = path }) { fixture in
                try fixture.emulator.register(Installation("i", pushChannel: .handle("AA")), at: "news")
                while (try? text(path).contains("\"installationId\":\"i\"")) != true {
                    try await Task.sleep(for: .milliseconds(20))
                }
                let records = try StateRecord.read(Data(contentsOf: URL(fileURLWithPath: path)))
                #expect(records.map(\.record.installation?.installationId) == ["i"])
                #expect(!FileManager.default.fileExists(atPath: path + ".new"))
                #expect(try await ask(fixture, "DELETE", "/news/installations/i").status == 204)
                while try text(path).contains("\"installationId\":\"i\"") {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
        }
    }

    @Test func aLeftoverOfAKilledWriteIsIgnored() async throws {
        try await withFile { path in
            try await EmulatorFixture.run({ $0.stateFile = path }) { fixture in
                try fixture.emulator.register(Installation("i", pushChannel: .handle("AA")), at: "news")
            }
            try write("{\"format\":1}\n{\"hub", path + ".new")
            try await EmulatorFixture.run({ $0.stateFile = path }) { fixture in
                let devices = try fixture.emulator.devices(at: "news")
                #expect(devices == ["i"])
                #expect(try await ask(fixture, "DELETE", "/news/installations/i").status == 204)
            }
            #expect(try text(path) == "{\"format\":1}\n{\"records\":0}\n")
        }
    }

    @Test func aSecondEmulatorWithTheSameFileIsRefused() async throws {
        try await withFile { path in
            try await EmulatorFixture.run({ $0.stateFile = path }) { _ in
                var settings = EmulatorSettings(hubs: [.init("news")])
                settings.stateFile = path
                let second = try HubEmulator(settings)
                await #expect(throws: EmulatorError("cannot use the state file \(path): another emulator is using it"))
                {
                    _ = try await second.start()
                }
            }
            // The first one has stopped.
            try await EmulatorFixture.run({ $0.stateFile = path }) { fixture in #expect(fixture.port > 0) }
        }
    }

    private static let head = #"{"format":1}"#
    private static let device =
        #"{"hub":"news","version":1,"installation":{"installationId":"i","platform":"apns","pushChannel":"AA"}}"#

    @Test(arguments: [
        ("", "line 1: not JSON"), ("{}\n", "line 1: the format is missing"),
        (#"{"format":2}"# + "\n", "line 1: the format is 2"),
        ("\(head)\n", "line 2: not JSON"), ("\(head)\n\(device)\n{\"hub\":\"ne", "line 3: not JSON"),
        ("\(head)\n\(device)", "line 2: the last line is missing"),
        ("\(head)\n\(device)\n{\"records\":2}\n", "line 3: it says 2 records, but there are 1"),
        ("\(head)\n\(device)\n{\"records\":1}\nx", "line 4: content after"),
        ("\(head)\n\(device.replacing("AA", with: "XX"))\n{\"records\":1}\n", "line 2: The pushChannel of apns"),
        ("\(head)\n\(device.replacing("news", with: "old"))\n{\"records\":1}\n", "line 2: there is no hub old"),
        ("\(head)\n{\"hub\":\"news\"}\n{\"records\":1}\n", "line 2: it holds neither"),
        ("\(head)\n{\"version\":1}\n{\"records\":1}\n", "line 2: the hub is missing"),
    ])
    func aDamagedFileIsReportedAndLeftUnchanged(content: String, reason: String) async throws {
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

    @Test func aFolderThatIsNotWritableIsReported() async throws {
        var settings = EmulatorSettings(hubs: [.init("news")])
        settings.stateFile = "/nowhere/at/all/state"
        let emulator = try HubEmulator(settings)
        await #expect(throws: EmulatorError("cannot open /nowhere/at/all/state.lock: No such file or directory")) {
            _ = try await emulator.start()
        }
    }

    @Test func unchangedSeedsAreNotInTheFile() async throws {
        try await withFile { path in
            for _ in 1...2 {
                try await EmulatorFixture.run({
                    $0.stateFile = path
                    $0.seedDevices = 20
                }) { fixture in
                    let devices = try fixture.emulator.devices(at: "news")
                    #expect(devices.count == 20)
                    let patch = #"[{"op":"add","path":"/tags","value":"mine"}]"#
                    #expect(try await ask(fixture, "PATCH", "/news/installations/seed-7", patch).status == 200)
                }
                let records = try StateRecord.read(Data(contentsOf: URL(fileURLWithPath: path)))
                #expect(records.map(\.record.installation?.installationId) == ["seed-7"])
            }
        }
    }
}
