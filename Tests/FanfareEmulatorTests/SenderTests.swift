import Foundation
import ProgramSupport
import Testing

/// `fanfare-emulator --fcm` as a process.
@Suite struct SenderTests {
    private let bare = BuiltProgram("fanfare-emulator", settings: nil)

    private func address(_ emulator: RunningProgram) async throws -> String {
        let output = try await emulator.printed("/_emulator/journal")
        return String(try #require(output.firstMatch(of: #/listens on http://(127\.0\.0\.1:[0-9]+) /#)).1)
    }

    private func account(_ file: String) throws -> [String: String] {
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file)))
        return try #require(object as? [String: String])
    }

    @Test func theServiceAccountOutlivesTheEmulator() async throws {
        let scratch = try ScratchDirectory()
        let file = scratch.path + "/shop.json"
        var keys: Set<String> = []
        for _ in 1...2 {
            let emulator = try RunningProgram(bare, "--fcm", "shop=\(file)", "--listen", "127.0.0.1:0", "--quiet")
            let address = try await address(emulator)
            let output = try await emulator.printed("FANFARE_HUBS_SHOP_SERVICE_ACCOUNT=\"$(cat '\(file)')\"")
            #expect(
                output.contains(
                    #""shop": {"kind": "fcm", "project": "shop-emulator", "endpoint": "http://\#(address)", "tags": "topics"}"#
                ))
            #expect(!output.contains("SharedAccessKey") && !output.contains("PRIVATE KEY"))
            let account = try account(file)
            #expect(account["token_uri"] == "http://\(address)/token" && account["project_id"] == "shop-emulator")
            keys.insert(try #require(account["private_key"]))
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            emulator.signal(SIGTERM)
            #expect(await emulator.end == 0)
        }
        #expect(keys.count == 1)
    }

    @Test func withoutAFileItIsInAFolderOfTheUser() async throws {
        let scratch = try ScratchDirectory()
        var program = bare
        program.environment["TMPDIR"] = scratch.path
        let emulator = try RunningProgram(
            program, "--hub", "news", "--fcm", "shop", "--listen", "127.0.0.1:0", "--quiet")
        _ = try await address(emulator)
        let folder = scratch.path + "/fanfare-emulator-\(geteuid())"
        #expect(try account(folder + "/shop.json")["type"] == "service_account")
        #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
        emulator.signal(SIGTERM)
        #expect(await emulator.end == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
        let refused = try await program("--fcm", "shop", "--listen", "127.0.0.1:0")
        #expect(refused.status == 65 && refused.errors.contains("of this user alone"), "\(refused.errors)")
    }

    /// What Google gave out is not overwritten.
    @Test(arguments: [
        (#"{"type":"service_account","token_uri":"https://oauth2.googleapis.com/token"}"#, "no emulator's"),
        (#"{"type":"other","token_uri":"http://127.0.0.1:8099/token"}"#, "type is not service_account"),
        ("{", "no JSON object"),
    ])
    func aFileThatIsNoEmulatorsStays(json: String, says: String) async throws {
        let scratch = try ScratchDirectory()
        let file = try scratch.write(json, to: "shop.json")
        let ended = try await bare("--fcm", "shop=\(file)", "--listen", "127.0.0.1:0")
        #expect(ended.status == 65 && ended.errors.contains(says), "\(ended.errors)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == json)
    }

    @Test func aPhoneShowsAPushInItsLanguage() async throws {
        let scratch = try ScratchDirectory()
        let strings = try scratch.write(#"{"fr": {"welcome_title": "Bienvenue, %1$s !"}}"#, to: "strings.json")
        let emulator = try RunningProgram(
            bare, "--fcm", "shop=\(scratch.path)/shop.json", "--strings", strings, "--listen", "127.0.0.1:0", "--quiet")
        let address = try await address(emulator)
        func ask(_ arguments: String...) async throws -> BuiltProgram.Ended {
            try await bare.run(arguments + ["--at", address])
        }
        let added = try await ask("device", "add", "bob", "--topic", "Tech", "--language", "fr")
        #expect(added.status == 0, "\(added.errors)")
        #expect(try await ask("device", "list", "--tag", "Tech").output.contains("Tech lang:fr"))
        let message =
            #"{"message":{"android":{"notification":{"title_loc_key":"welcome_title","title_loc_args":["Alice"]}}}}"#
        let sent = try await Tool("curl")([
            "-sS", "-o", "/dev/null", "-w", "%{http_code}", "http://\(address)/_emulator/page/send", "--data-urlencode",
            "tags=Tech", "--data-urlencode", "body=\(message)",
        ])
        #expect(sent.output == "303")
        #expect(try await ask("inbox", "bob").output.contains("shop  bob  Bienvenue, Alice !"))
        emulator.signal(SIGTERM)
        #expect(await emulator.end == 0)
    }

    @Test func topicsAreForSenders() async throws {
        let emulator = try RunningProgram(bare, "--hub", "news", "--listen", "127.0.0.1:0", "--quiet")
        let address = try await address(emulator)
        let refused = try await bare("device", "add", "bob", "--topic", "Tech", "--at", address)
        #expect(refused.status == 65 && refused.errors.contains("is a notification hub"), "\(refused.errors)")
        emulator.signal(SIGTERM)
        #expect(await emulator.end == 0)
    }

    @Test func wrongTextsAreNamed() async throws {
        let scratch = try ScratchDirectory()
        let strings = try scratch.write(#"{"fr": {"k": "%q"}}"#, to: "strings.json")
        let ended = try await bare("--hub", "news", "--strings", strings, "--listen", "127.0.0.1:0")
        #expect(ended.status == 65 && ended.errors.contains(#"strings.json: fr: "k": character 1"#), "\(ended.errors)")
    }

    @Test func namesOfSendersAreChecked() async throws {
        #expect(try await bare("--fcm", "=x").status == 64)
        #expect(try await bare("--fcm", "shop", "--config", "x.json").status == 64)
        let scratch = try ScratchDirectory()
        let file = "shop=\(scratch.path)/shop.json"
        #expect(try await bare("--hub", "shop", "--fcm", file, "--listen", "127.0.0.1:0").status == 64)
        #expect(try await bare("--hub", "v1", "--fcm", file, "--listen", "127.0.0.1:0").status == 64)
    }
}
