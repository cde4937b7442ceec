import Foundation
import Testing

@testable import Daemon

/// Files with secrets that everybody may read are said, and nothing else is.
@Suite struct ExposureTests {
    private static let remote =
        "Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0"
    private static let local = "Endpoint=http://127.0.0.1:8099/;SharedAccessKeyName=e;SharedAccessKey=ZW11bGF0b3I="

    private func warnings(
        _ connection: String?, url: String = "postgresql:///x", mode: mode_t, credential: mode_t? = nil
    ) throws -> [String] {
        let scratch = try Scratch()
        let member = connection.map { #", "connectionString": "\#($0)""# } ?? ""
        try scratch.write(#"{"database": {"url": "\#(url)"}, "hubs": {"news": {"hub": "h"\#(member)}}}"#)
        chmod(scratch.file, mode)
        var environment: [String: String] = [:]
        if let credential {
            try scratch.write(Self.remote, to: "secrets/hubs-news-connectionString")
            chmod(scratch.secrets + "/hubs-news-connectionString", credential)
            environment["CREDENTIALS_DIRECTORY"] = scratch.secrets
        }
        let settings = try scratch.load(environment: environment, unknownKeys: .refuse)
        return settings.warnings.map { $0.description.replacing(scratch.path + "/", with: "") }
    }

    @Test func aSettingsFileWithAKeyThatEverybodyMayReadIsSaid() throws {
        #expect(
            try warnings(Self.remote, mode: 0o644) == [
                "config.json may be read by everybody on this machine, and holds hubs.news.connectionString: "
                    + "a file with secrets belongs to the user of the service alone. Run: chmod 600 config.json."
            ])
        #expect(try warnings(Self.remote, mode: 0o640) == [])
        #expect(try warnings(Self.remote, mode: 0o600) == [])
    }

    @Test(arguments: [
        "host=db password=hunter2", "postgresql://u:hunter2@db/x", "postgresql://db/x?password=hunter2",
    ])
    func soIsAPasswordOfTheDatabase(url: String) throws {
        let said = try warnings(Self.local, url: url, mode: 0o644)
        #expect(said.count == 1 && said[0].contains("holds database.url") && !said[0].contains("hunter2"), "\(said)")
    }

    @Test func whatIsNoSecretMayBeRead() throws {
        #expect(try warnings(Self.local, mode: 0o644) == [])
        #expect(try warnings(Self.local, url: "postgresql://u@db:5432/x", mode: 0o644) == [])
    }

    @Test func aCredentialFileThatEverybodyMayReadIsSaid() throws {
        #expect(try warnings(nil, mode: 0o644, credential: 0o400) == [])
        let said = try warnings(nil, mode: 0o644, credential: 0o444)
        #expect(said.count == 1 && said[0].contains("secrets/hubs-news-connectionString may be read"), "\(said)")
    }
}
