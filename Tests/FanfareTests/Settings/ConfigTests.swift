import ProgramSupport
import Foundation
import Testing

@Suite struct ConfigTests {
    private func site() throws -> Site { try Site(url: "postgresql://me:\(BuiltProgram.secrets[1])@localhost/x") }

    @Test func everySettingIsPrintedWithItsSourceAndWithoutSecrets() async throws {
        var fanfare = try site().fanfare
        fanfare.environment = ["FANFARE_DISPATCH_LEASE_SECONDS": "7"]
        let document = try await fanfare(
            "config", "print", "--set", "dispatch.batch=9", "--log-level", "error", "--json"
        )
        .json([String: Any].self)
        let rows = try #require(document["settings"] as? [[String: String]])
        func row(_ key: String) -> [String?] {
            rows.filter { $0["key"] == key }.flatMap { [$0["value"], $0["source"]] }
        }
        #expect(row("dispatch.batch") == ["9", "command line"])
        #expect(row("dispatch.leaseSeconds") == ["7", "FANFARE_DISPATCH_LEASE_SECONDS"])
        #expect(row("log.level") == ["error", "command line"])
        #expect(row("dispatch.slots") == ["512", "default"])
        #expect(row("hubs.news.connectionString").first == "•••")
        #expect(row("database.url").first == "postgresql://me:•••@localhost/x")
        let text = try await fanfare("config", "print").output
        #expect(text.contains("dispatch.leaseSeconds"))
        #expect(text.contains("FANFARE_DISPATCH_LEASE_SECONDS"))
    }

    @Test func aHubOfAnotherKindIsCheckedAndPrintedWithoutItsAccount() async throws {
        let site = try site()
        try site.scratch.write(try Site.fcmSettings(url: site.url, hub: #""tags": "topics", "#), to: "config.json")
        let check = try await site.fanfare("config", "check")
        #expect(check.status == 0, "\(check.errors)")
        let text = try await site.fanfare("config", "print").output
        #expect(text.contains("hubs.shop.serviceAccount") && text.contains("•••") && !text.contains("PRIVATE KEY"))
        #expect(text.contains("example-project") && !text.contains("connectionString"))
    }

    /// No word of an account comes out, wherever it was put.
    @Test func anAccountThatIsWrongIsNamedAndNotShown() async throws {
        let site = try site()
        let account = try Site.accountInJSON()
        for (settings, words) in [
            (
                #"{"hubs": {"shop": {"serviceAccount": \#(account)}}}"#,
                "hubs.shop.serviceAccount: is for kind fcm; hub shop is notification-hubs"
            ),
            (
                #"{"hubs": {"shop": {"kind": "fcm", "serviceAccount": \#(try Site.account())}}}"#,
                "hubs.shop.serviceAccount: is an object"
            ),
            (
                #"{"hubs": {"shop": {"kind": "fcm", "serviceAccount": \#(account.replacing("END PRIVATE", with: "END"))}}}"#,
                "hubs.shop.serviceAccount: cannot be used"
            ),
            (
                #"{"hubs": {"shop": {"kind": "fcm", "project": \#(account)}}}"#, "hubs.shop.project: is "
            ),
        ] {
            try site.scratch.write(settings, to: "config.json")
            let check = try await site.fanfare("config", "check")
            #expect(check.status == 78)
            #expect(check.errors.contains("fanfare: \(words)"), "\(check.errors)")
            #expect(!check.errors.contains("MII") && !check.errors.contains("BEGIN PRIVATE"), "\(check.errors)")
        }
    }

    @Test func goodSettingsPassTheCheck() async throws {
        let ended = try await site().fanfare("config", "check")
        #expect(ended.status == 0)
        #expect(ended.output.hasSuffix("config.json: nothing is wrong\n"))
    }

    @Test func theCheckNamesEverythingThatIsWrongOrOdd() async throws {
        let site = try site()
        let settings = Site.settings(url: "mysql://x", hub: #""window": "wide", "wnidow": 3,"#)
        try site.scratch.write(settings, to: "config.json")
        let ended = try await site.fanfare("config", "check")
        #expect(ended.status == 78)
        for words in ["fanfare: database.url: ", "fanfare: hubs.news.window: ", "wnidow (warning): ", "hint: Did you"] {
            #expect(ended.errors.contains(words), "\(ended.errors)")
        }
        let json = try await site.fanfare("config", "check", "--json")
        #expect(json.status == 78)
        let document = try json.json([String: Any].self)
        #expect(document["ok"] as? Bool == false)
        #expect((document["problems"] as? [Any])?.count == 2)
        #expect((document["warnings"] as? [[String: Any]])?.first?["key"] as? String == "hubs.news.wnidow")
    }

    @Test func oddSettingsAreOnlyLoggedByOtherCommands() async throws {
        let site = try site()
        try site.scratch.write(Site.settings(url: site.url, hub: #""wnidow": 3,"#), to: "config.json")
        #expect(try await site.fanfare("config", "check").status == 78)
        let ended = try await site.fanfare("sas", "news", "--log-format", "json")
        #expect(ended.status == 0)
        let line = try #require(
            try JSONSerialization.jsonObject(with: Data(ended.errors.utf8)) as? [String: Any], "\(ended.errors)")
        #expect(line["level"] as? String == "warning")
        #expect(try await site.fanfare("sas", "news", "--log-level", "error").errors.isEmpty)
    }
}
