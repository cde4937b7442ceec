import Foundation
import Testing

@testable import Configuration

/// Only files with secrets that every user can read are reported.
@Suite struct SecretFilePermissionsTests {
    private static let remote =
        "Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0"
    private static let local = "Endpoint=http://127.0.0.1:8099/;SharedAccessKeyName=e;SharedAccessKey=ZW11bGF0b3I="

    private func warnings(
        _ connection: String?, url: String = "postgresql:///x", mode: mode_t, credential: mode_t? = nil
    ) throws -> [String] {
        let fixture = try SettingsFixture()
        let member = connection.map { #", "connectionString": "\#($0)""# } ?? ""
        try fixture.write(#"{"database": {"url": "\#(url)"}, "hubs": {"news": {"hub": "h"\#(member)}}}"#)
        chmod(fixture.file, mode)
        var environment: [String: String] = [:]
        if let credential {
            try fixture.write(Self.remote, to: "secrets/hubs-news-connectionString")
            chmod(fixture.secrets + "/hubs-news-connectionString", credential)
            environment["CREDENTIALS_DIRECTORY"] = fixture.secrets
        }
        let settings = try fixture.load(environment: environment, unknownKeys: .refuse)
        return settings.warnings.map { $0.description.replacing(fixture.path + "/", with: "") }
    }

    @Test func aReadableSettingsFileWithAKeyIsReported() throws {
        #expect(
            try warnings(Self.remote, mode: 0o644) == [
                "config.json can be read by every user of this machine, and holds hubs.news.connectionString: "
                    + "a file with secrets must be readable only for the user of the service. Run: chmod 600 config.json."
            ])
        #expect(try warnings(Self.remote, mode: 0o640) == [])
        #expect(try warnings(Self.remote, mode: 0o600) == [])
    }

    @Test(arguments: [
        "host=db password=hunter2", "postgresql://u:hunter2@db/x", "postgresql://db/x?password=hunter2",
    ])
    func aReadableDatabasePasswordIsReported(url: String) throws {
        let reported = try warnings(Self.local, url: url, mode: 0o644)
        #expect(
            reported.count == 1 && reported[0].contains("holds database.url") && !reported[0].contains("hunter2"),
            "\(reported)")
    }

    @Test func aReadableTokenIsReported() throws {
        let fixture = try SettingsFixture()
        try fixture.write(#"{"console": {"metricsToken": "0123456789abcdef"}}"#)
        chmod(fixture.file, 0o644)
        let warnings = try fixture.load().warnings.map(\.description)
        #expect(warnings.count == 1 && warnings[0].contains("holds console.metricsToken"), "\(warnings)")
    }

    @Test(arguments: [
        (
            #""users": {"ana": {"may": "look", "password": "\#(SettingsFixture.password)"}}"#,
            "console.users.ana.password"
        ),
        (#""databaseURL": "postgresql://pages:hunter2@db/x""#, "console.databaseURL"),
    ])
    func aReadableSecretOfTheConsoleIsReported(members: String, key: String) throws {
        let fixture = try SettingsFixture()
        try fixture.write(#"{"console": {\#(members)}}"#)
        chmod(fixture.file, 0o644)
        let warnings = try fixture.load().warnings.map(\.description)
        #expect(warnings.count == 1 && warnings[0].contains("holds \(key)"), "\(warnings)")
    }

    @Test func filesWithoutSecretsMayBeReadable() throws {
        #expect(try warnings(Self.local, mode: 0o644) == [])
        #expect(try warnings(Self.local, url: "postgresql://u@db:5432/x", mode: 0o644) == [])
    }

    @Test func aReadableCredentialFileIsReported() throws {
        #expect(try warnings(nil, mode: 0o644, credential: 0o400) == [])
        let reported = try warnings(nil, mode: 0o644, credential: 0o444)
        #expect(
            reported.count == 1 && reported[0].contains("secrets/hubs-news-connectionString can be read"), "\(reported)"
        )
    }

    @Test func aReadableServiceAccountIsReported() throws {
        let fixture = try SettingsFixture()
        func warnings(_ account: String, _ members: String = "") throws -> [String] {
            try fixture.write(SettingsFixture.fcm(members, account: account))
            chmod(fixture.file, 0o644)
            return try fixture.load().warnings.map { $0.description.replacing(fixture.path + "/", with: "") }
        }
        #expect(
            try warnings(TestAccount.text()) == [
                "config.json can be read by every user of this machine, and holds hubs.shop.serviceAccount: a file with "
                    + "secrets must be readable only for the user of the service. Run: chmod 600 config.json."
            ])
        // The emulator gives out its tokens.
        let local = #""endpoint": "http://127.0.0.1:8099""#
        #expect(try warnings(TestAccount.text(["token_uri": "http://127.0.0.1:8099/token"]), local) == [])

        try fixture.write(TestAccount.text(), to: "secrets/hubs-shop-serviceAccount")
        chmod(fixture.secrets + "/hubs-shop-serviceAccount", 0o444)
        let settings = try fixture.load(
            #"{"hubs": {"shop": {"kind": "fcm"}}}"#, environment: ["CREDENTIALS_DIRECTORY": fixture.secrets])
        #expect(settings.warnings.map(\.key) == [fixture.secrets + "/hubs-shop-serviceAccount"])
    }
}
