import Foundation
import ProgramSupport
import TestSupport
import Testing

/// docs/apns.md as a reader pastes it, from the settings to a pruned table and a certificate.
@Suite(.timeLimit(.minutes(10))) struct APNsPageTests {
    private static let path = "docs/apns.md"
    /// What `fanfare-emulator` answers with 410, and with 400.
    private static let (gone, invalid) = ("dead0410", "dead0400")

    @Test func thePhoneShowsWhatThePagePrints() async throws {
        try await SenderBench.run(Self.path) { bench in
            let shells = bench.page.blocks.filter { $0.info == "sh" }
            #expect(shells.count == 2)
            let made = try await bench.type(shells[0].text)
            #expect(made.contains("hub ios: registered"), "\(made)")
            #expect(made.contains("primary key: accepted by https://localhost:"), "\(made)")
            try await bench.insert(bench.sql("INVITE_CATEGORY"))
            let printed = try await bench.type(shells[1].text)
            let shown = try #require(bench.page.blocks("text").first).text
            #expect(Tutorial.plain(printed) == Tutorial.plain(shown), "\(printed)")
        }
    }

    /// Two tables of a backend, and twice the statement that prunes: a token that the app gave again stays.
    @Test func aBackendPrunesWhatIsGoneAndNothingElse() async throws {
        try await SenderBench.run(Self.path) { bench in
            func phones() async throws -> [String] {
                try await bench.backend.texts("SELECT token FROM phone ORDER BY token")
            }
            let (send, prune) = (try bench.sql("FROM phone"), try bench.sql("DELETE FROM phone"))
            _ = try await bench.type("fanfare migrate up")
            try await bench.insert(bench.sql("CREATE TABLE phone"))
            try await bench.insert(bench.sql("CREATE TABLE pruned"))
            try await bench.backend.database.script(
                """
                INSERT INTO phone VALUES ('a11ce0', 42), ('\(Self.gone)01', 42), ('\(Self.gone)02', 42),
                                         ('\(Self.invalid)', 42), ('\(Self.gone)03', 43)
                """)
            try await bench.insert(send)
            // A drain in which messages were rejected ends with 1.
            let drained = try await bench.type("fanfare drain || test $? = 1")
            #expect(drained.contains("1 accepted") && drained.contains("3 rejected"), "\(drained)")
            try await bench.backend.database.script(
                "UPDATE phone SET given_at = now() + interval '1 hour' WHERE token = '\(Self.gone)02'")
            try await bench.insert(prune)
            // The token of another customer was not asked, and an invalid one may be right at the other service.
            #expect(try await phones() == ["a11ce0", Self.invalid, Self.gone + "02", Self.gone + "03"])

            try await bench.backend.database.script("UPDATE phone SET customer = 42 WHERE token = '\(Self.gone)03'")
            try await bench.insert(send)
            _ = try await bench.type("fanfare drain || test $? = 1")
            try await bench.insert(prune)
            #expect(try await phones() == ["a11ce0", Self.invalid, Self.gone + "02"])
            #expect(
                try await bench.backend.texts("SELECT arrival::text FROM pruned")
                    == bench.test.texts("SELECT max(arrival)::text FROM push.gone_targets_after(NULL)"))
        }
    }

    /// There is no terminal here, so there is no yes.
    @Test func aTestAsksAndADryRunSendsNothing() async throws {
        try await SenderBench.run(Self.path) { bench in
            let command = String(try #require(bench.page.text.firstMatch(of: /`(fanfare send [^`]+ --test)`/)).1)
                .replacing("TOKEN", with: "a11ce0")
            try bench.folder.write(#"{"aps": {"alert": "Your order is on its way"}}"#, to: "message.json")
            let asked = try await bench.attempt(command)
            #expect(asked.status == 64 && asked.errors.contains("APNs has no test send"), "\(asked)")
            let dry = try await bench.type(command.replacing("--test", with: "--dry-run"))
            #expect(dry.contains("/3/device/a11ce0") && dry.contains("Your order is on its way"), "\(dry)")
            #expect(dry.contains("apns-topic: com.example.ios") && !dry.contains("bearer ey"), "\(dry)")
            let before = try await bench.type("fanfare-emulator journal --json")
            #expect(!before.contains("Your order is on its way"), "\(before)")
            let sent = try await bench.type(command + " --yes")
            #expect(sent.contains("accepted by the hub for 1 handle"), "\(sent)")
        }
    }

    @Test func tenRestartsInAMinuteDoNoHarm() async throws {
        #expect(try Page(Self.path).text.contains("ten restarts in a\nminute do no harm"))
        try await SenderBench.run(Self.path) { bench in
            _ = try await bench.type("fanfare migrate up")
            try await bench.insert(bench.sql("CREATE TABLE phone"))
            try await bench.backend.database.script("INSERT INTO phone VALUES ('a11ce0', 42)")
            for _ in 1...10 {
                try await bench.insert(bench.sql("FROM phone"))
                #expect(try await bench.type("fanfare drain").contains("1 accepted"))
            }
        }
    }

    /// The emulator's certificate, as a .p12 file of Apple would have it.
    @Test func aCertificateTakesThePlaceOfTheKey() async throws {
        try await SenderBench.run(Self.path, settings: "json certificate", options: " --apns-certificates") { bench in
            let block = try #require(bench.page.blocks.first { $0.info == "sh certificate" }).text
            let place = """
                openssl pkcs12 -export -in AuthKey_FGHIJ67890.pem -out push.p12 -passout pass:secret
                export FANFARE_HUBS_IOS_ENDPOINT=https://localhost:8443 FANFARE_TRANSPORT_CA_FILE="$PWD/ca.pem"
                fanfare migrate up
                """
            // A reader types the password.
            let commands = block.replacing("pkcs12 -in", with: "pkcs12 -passin pass:secret -in")
            #expect(commands != block)
            let ended = try await bench.attempt(
                "\(place)\n\(commands)\nfanfare hub show ios", hasExports: false)
            #expect(ended.status == 0, "\(ended)")
            #expect(ended.output.contains("certificate: accepted by https://localhost:"), "\(ended)")
            #expect(ended.output.contains("certificate ends: "), "\(ended)")
            try await bench.insert(bench.sql("INVITE_CATEGORY"))
            let sent = try await bench.attempt(
                "\(place)\n\(commands)\nfanfare drain; fanfare-emulator inbox", hasExports: false)
            #expect(sent.output.contains("1 accepted") && sent.output.contains("You’re invited!"), "\(sent)")
        }
        let days = try #require(Page(Self.path).text.firstMatch(of: /From ([0-9]+) days before/)).1
        let code = try Repository.text("Sources/Daemon/Hubs/CertificateEnd.swift")
        #expect(code.contains("static let warningDays = \(days)\n"))
    }

    @Test func everyBlockIsRunByATest() throws {
        let blocks = try Page(Self.path).blocks
        #expect(
            blocks.map(\.info).filter { $0 != "sql" }
                == ["json", "sh emulator", "sh", "sh", "text", "json certificate", "sh certificate"])
        #expect(blocks.count { $0.info == "sql" } == 5)
    }
}
