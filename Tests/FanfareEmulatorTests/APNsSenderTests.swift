import Foundation
import ProgramSupport
import Signing
import Testing

/// `fanfare-emulator --apns` as a process.
@Suite struct APNsSenderTests {
    private let bare = BuiltProgram("fanfare-emulator", settings: nil)

    private func address(_ emulator: RunningProgram) async throws -> String {
        let output = try await emulator.printed("/_emulator/journal")
        return String(try #require(output.firstMatch(of: #/listens on http://(127\.0\.0\.1:[0-9]+) /#)).1)
    }

    @Test func theKeyOutlivesTheEmulator() async throws {
        let scratch = try ScratchDirectory()
        let file = scratch.path + "/ios.p8"
        var keys: Set<String> = []
        var ids: Set<String> = []
        for _ in 1...2 {
            let emulator = try RunningProgram(
                bare, "--apns", "ios:sandbox=\(file)", "--tls-port", "0", "--listen", "127.0.0.1:0", "--quiet")
            _ = try await address(emulator)
            let output = try await emulator.printed("FANFARE_HUBS_IOS_KEY=\"$(cat '\(file)')\"")
            let settings =
                #/
                "ios":\ {"kind":\ "apns",\ "topic":\ "com\.example\.ios",\ "teamId":\ "EMULATOR00",\ "keyId":\ "([A-Z2-7]{10})",
                \ "environment":\ "sandbox",\ "endpoint":\ "https://127\.0\.0\.1:[0-9]+"}
                /#
            ids.insert(String(try #require(output.firstMatch(of: settings), "\(output)").1))
            #expect(!output.contains("PRIVATE KEY") && !output.contains("SharedAccessKey"))
            keys.insert(try String(contentsOfFile: file, encoding: .utf8))
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            emulator.signal(SIGTERM)
            #expect(await emulator.end == 0)
        }
        #expect(keys.count == 1 && ids.count == 1)
        #expect(keys.first?.hasPrefix("-----BEGIN PRIVATE KEY-----\n") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let refused = try await bare("--apns", "ios=\(file)", "--tls-port", "0", "--listen", "127.0.0.1:0")
        #expect(refused.status == 65 && refused.errors.contains("chmod 600 '\(file)'"), "\(refused.errors)")
    }

    /// A new key, and one that is there.
    @Test func theIdOfAKeyMayStandInTheNameOfItsFile() async throws {
        let scratch = try ScratchDirectory()
        for _ in 1...2 {
            let emulator = try RunningProgram(
                bare, "--apns", "ios=\(scratch.path)/AuthKey_ABC123DEFG.p8", "--tls-port", "0", "--listen",
                "127.0.0.1:0",
                "--quiet")
            _ = try await emulator.printed(#""keyId": "ABC123DEFG""#)
            emulator.signal(SIGTERM)
            #expect(await emulator.end == 0)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["AuthKey_ABC123DEFG.p8"])
    }

    @Test func aCertificateIsMadeOnRequest() async throws {
        let scratch = try ScratchDirectory()
        let emulator = try RunningProgram(
            bare, "--apns", "ios=\(scratch.path)/ios.p8", "--apns-certificates", "--tls-port", "0", "--listen",
            "127.0.0.1:0",
            "--quiet")
        let output = try await emulator.printed("FANFARE_HUBS_IOS_CERTIFICATE_KEY=")
        let settings =
            #/
            Or\ with\ the\ certificate\ .*/ios\.pem\n
            \ +"ios":\ {"kind":\ "apns",\ "topic":\ "com\.example\.ios",\ "environment":\ "production",
            \ "endpoint":\ "https://127\.0\.0\.1:[0-9]+"}\n
            /#
        #expect(output.contains(settings), "\(output)")
        // What it prints gives a worker the certificate and its key.
        let exports = output.split(separator: "\n").filter { $0.contains("export FANFARE_HUBS_IOS_CERTIFICATE") }
        let shown = try await Tool("bash")([
            "-c",
            exports.joined(separator: "\n")
                + "\nprintf '%s\n%s' \"$FANFARE_HUBS_IOS_CERTIFICATE\" \"$FANFARE_HUBS_IOS_CERTIFICATE_KEY\"",
        ])
        let parts = shown.output.components(separatedBy: "-----BEGIN PRIVATE KEY-----")
        #expect(exports.count == 2 && parts.count == 2, "\(shown)")
        let certificate = try ClientCertificate(
            certificate: parts[0], key: Secret("-----BEGIN PRIVATE KEY-----" + (parts.last ?? "")))
        #expect(certificate.userID == "com.example.ios")
        let text = try String(contentsOfFile: scratch.path + "/ios.pem", encoding: .utf8)
        #expect(text.contains("BEGIN CERTIFICATE") && text.contains("BEGIN PRIVATE KEY"))
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path + "/ios.pem")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        emulator.signal(SIGTERM)
        #expect(await emulator.end == 0)
        #expect(try await bare.run(["--apns-certificates", "--tls-port", "0"]).status == 64)
    }

    @Test func whatIsNoKeyStays() async throws {
        let scratch = try ScratchDirectory()
        let file = try scratch.write("nonsense", to: "ios.p8")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let ended = try await bare("--apns", "ios=\(file)", "--tls-port", "0", "--listen", "127.0.0.1:0")
        #expect(ended.status == 65 && ended.errors.contains("no P-256 key"), "\(ended.errors)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "nonsense")
    }

    @Test(arguments: [
        ["--apns", "ios"], ["--apns", "=x", "--tls-port", "0"], ["--apns", "ios:staging", "--tls-port", "0"],
        ["--apns", "ios", "--tls-port", "0", "--config", "x.json"],
    ])
    func optionsAreChecked(arguments: [String]) async throws {
        #expect(try await bare.run(arguments).status == 64)
    }

    @Test func aPhoneGetsAPush() async throws {
        let scratch = try ScratchDirectory()
        let emulator = try RunningProgram(
            bare, "--hub", "news", "--apns", "ios=\(scratch.path)/ios.p8", "--tls-port", "0", "--listen", "127.0.0.1:0",
            "--quiet")
        let address = try await address(emulator)
        func ask(_ arguments: String...) async throws -> BuiltProgram.Ended {
            try await bare.run(arguments + ["--at", address])
        }
        let added = try await ask("device", "add", "alice", "--hub", "ios", "--language", "fr")
        #expect(added.status == 0, "\(added.errors)")
        let refused = try await ask("device", "add", "bob", "--hub", "ios", "--topic", "Tech")
        #expect(refused.status == 65 && refused.errors.contains("no topics"), "\(refused.errors)")
        let sent = try await Tool("curl")([
            "-sS", "-o", "/dev/null", "-w", "%{http_code}", "http://\(address)/_emulator/page/send", "--data-urlencode",
            "hub=ios", "--data-urlencode", "tags=alice", "--data-urlencode", #"body={"aps":{"alert":"Bonjour"}}"#,
        ])
        #expect(sent.output == "303")
        #expect(try await ask("inbox", "alice", "--hub", "ios").output.contains("ios  alice  Bonjour"))
        emulator.signal(SIGTERM)
        #expect(await emulator.end == 0)
    }

    @Test func wrongCategoriesAreNamed() async throws {
        let scratch = try ScratchDirectory()
        let file = try scratch.write(#"{"A": [{"id": "a"}]}"#, to: "categories.json")
        let ended = try await bare("--hub", "news", "--categories", file, "--listen", "127.0.0.1:0")
        #expect(ended.status == 65, "\(ended.errors)")
        #expect(ended.errors.contains(#"categories.json: "A": button 1: title is missing"#), "\(ended.errors)")
    }
}
